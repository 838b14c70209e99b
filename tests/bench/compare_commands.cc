// compare_commands: runs commands in turn (A B C A B C ...), so that a busy
// machine slows all of them, and prints what each of them took. A ratio is the
// median of the ratios of one round.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int kUsage = 64;
constexpr char kHelp[] =
    "usage: compare_commands --bytes=N --out=DIR [--runs=5]\n"
    "                        -- NAME COMMAND... [-- NAME COMMAND...]...\n"
    "\n"
    "Runs each command once unmeasured and then RUNS times, in turn. Output\n"
    "goes to DIR/NAME.out and DIR/NAME.err: some tools stop early when they\n"
    "write to /dev/null. MB/s are of N bytes of input; ratios are to the "
    "first\n"
    "command. Fails when a command does.\n";

struct Cost {
  double wall = 0;  // seconds
  double cpu = 0;   // seconds, user and system
  double rss = 0;   // most memory at once, 10^6 bytes
};

struct Command {
  std::string name;
  std::vector<char*> argv;  // with the null at the end
  std::vector<Cost> costs;  // of the measured rounds
};

struct Options {
  std::uint64_t bytes = 0;
  int runs = 5;
  std::string out;
  std::vector<Command> commands;
};

template <typename T>
bool TakeNumber(std::string_view text, T* value) {
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, *value);
  return result.ec == std::errc() && result.ptr == end && *value > 0;
}

bool ParseOption(std::string_view argument, Options* options) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view value = argument.substr(equals + 1);
  const std::string_view name = argument.substr(0, equals);
  if (name == "--bytes") return TakeNumber(value, &options->bytes);
  if (name == "--runs") return TakeNumber(value, &options->runs);
  if (name == "--out") options->out = value;
  return name == "--out";
}

bool ParseArguments(int argc, char** argv, Options* options) {
  const auto is_break = [](const char* a) { return !std::strcmp(a, "--"); };
  int i = 1;
  for (; i < argc && !is_break(argv[i]); ++i) {
    if (!ParseOption(argv[i], options)) return false;
  }
  while (i < argc) {
    if (++i == argc) return false;  // nothing behind a break
    Command command;
    command.name = argv[i++];
    for (; i < argc && !is_break(argv[i]); ++i) command.argv.push_back(argv[i]);
    if (command.argv.empty()) return false;
    command.argv.push_back(nullptr);
    options->commands.push_back(std::move(command));
  }
  return options->bytes > 0 && !options->out.empty() &&
         !options->commands.empty();
}

void Redirect(const std::string& path, int target) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || dup2(fd, target) < 0) _exit(126);
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) * 1e-6;
}

// False: the command failed.
bool Measure(const Command& command, const std::string& out, Cost* cost) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t pid = fork();
  if (pid < 0) return false;
  if (pid == 0) {
    Redirect(out + "/" + command.name + ".out", STDOUT_FILENO);
    Redirect(out + "/" + command.name + ".err", STDERR_FILENO);
    execvp(command.argv[0], command.argv.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  while (wait4(pid, &status, 0, &usage) != pid) {
    if (errno != EINTR) return false;
  }
  cost->wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  cost->cpu = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  cost->rss = static_cast<double>(usage.ru_maxrss) * 1024e-6;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct Spread {
  double median = 0, least = 0, most = 0;
};

template <typename F>
Spread SpreadOf(const Command& command, F&& figure) {
  std::vector<double> values;
  for (std::size_t i = 0; i < command.costs.size(); ++i) {
    values.push_back(figure(i));
  }
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

void Print(const Options& options) {
  const Command& first = options.commands.front();
  const double megabytes = static_cast<double>(options.bytes) * 1e-6;
  std::printf("%-16s %24s %24s %8s %7s %16s %16s\n", "", "wall s (min..max)",
              "CPU s (min..max)", "MB/s", "RSS MB", "wall x (..max)",
              "CPU x (..max)");
  for (const Command& command : options.commands) {
    const std::vector<Cost>& c = command.costs;
    const auto at = [&](auto member) {
      return [&c, member](std::size_t i) { return c[i].*member; };
    };
    const auto ratio = [&](auto member) {
      return [&c, &first, member](std::size_t i) {
        return c[i].*member / std::max(first.costs[i].*member, 1e-9);
      };
    };
    const Spread wall = SpreadOf(command, at(&Cost::wall));
    const Spread cpu = SpreadOf(command, at(&Cost::cpu));
    const Spread rss = SpreadOf(command, at(&Cost::rss));
    const Spread wall_x = SpreadOf(command, ratio(&Cost::wall));
    const Spread cpu_x = SpreadOf(command, ratio(&Cost::cpu));
    std::printf(
        "%-16s %8.3f (%6.3f..%6.3f) %8.3f (%6.3f..%6.3f) %8.0f %7.1f "
        "%7.2f (..%5.2f) %7.2f (..%5.2f)\n",
        command.name.c_str(), wall.median, wall.least, wall.most, cpu.median,
        cpu.least, cpu.most, megabytes / wall.median, rss.most, wall_x.median,
        wall_x.most, cpu_x.median, cpu_x.most);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && !std::strcmp(argv[1], "--help")) {
    std::fputs(kHelp, stdout);
    return EXIT_SUCCESS;
  }
  Options options;
  if (!ParseArguments(argc, argv, &options)) {
    std::fputs(kHelp, stderr);
    return kUsage;
  }
  for (int round = 0; round <= options.runs; ++round) {
    for (Command& command : options.commands) {
      Cost cost;
      if (!Measure(command, options.out, &cost)) {
        std::fprintf(stderr, "compare_commands: %s failed, see %s/%s.err\n",
                     command.name.c_str(), options.out.c_str(),
                     command.name.c_str());
        return EXIT_FAILURE;
      }
      if (round > 0) command.costs.push_back(cost);
    }
  }
  Print(options);
  return EXIT_SUCCESS;
}
