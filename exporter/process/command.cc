#include "exporter/process/command.h"

#include <algorithm>
#include <array>

#include "exporter/process/shell_words.h"

namespace rlrun {
namespace {

using Arguments = std::vector<std::string>;

// Last part of a module (`-m a.b.main_ppo`) or name of a script without `.py`.
constexpr std::array<std::string_view, 7> kTrainerPrograms = {
    "main_ppo",        "main_ppo_sync", "fully_async_main", "fsdp_sft_trainer",
    "sft_trainer_ray", "sft_trainer",   "torchrun"};
constexpr std::array<std::string_view, 2> kTrainerModules = {
    "torch.distributed.run", "torch.distributed.launch"};
// Classes in titles `ray::<class>.<method>`.
constexpr std::array<std::string_view, 3> kTrainerActors = {
    "FullyAsyncTrainer", "FullyAsyncTaskRunner", "TaskRunner"};
// Ends of the path of a script.
constexpr std::array<std::string_view, 3> kRunnerScripts = {
    "scripts/train/train.sh", "scripts/eval/eval.sh", "scripts/infer/infer.sh"};
constexpr std::array<std::string_view, 5> kShells = {"bash", "sh", "dash",
                                                     "zsh", "ksh"};
constexpr std::array<std::string_view, 8> kKeywords = {
    "then", "do", "else", "if", "while", "until", "elif", "!"};

// Programs that run another one: options with a value of their own, and how
// many arguments stand before the program.
struct Wrapper {
  std::string_view name;
  std::string_view value_options;  // between blanks
  int positional = 0;
};
constexpr std::array<Wrapper, 18> kWrappers = {{
    {"env", " -u --unset -C --chdir ", 0},
    {"nohup", "", 0},
    {"setsid", "", 0},
    {"exec", " -a ", 0},
    {"command", "", 0},
    {"time", " -f -o ", 0},
    {"stdbuf", " -i -o -e ", 0},
    {"nice", " -n ", 0},
    {"ionice", " -c -n ", 0},
    {"timeout", " -s -k ", 1},
    {"sudo", " -u -g -C -D -h -p ", 0},
    {"numactl", " -N -m -C -i -p ", 0},
    {"taskset", "", 1},
    {"srun", " -n -N -c -p -w -J -t ", 0},
    {"uv", "", 1},      // uv run
    {"poetry", "", 1},  // poetry run
    {"conda", " -n -p ", 1},
    {"accelerate", " --config_file --num_processes ", 1},
}};

template <typename List>
bool Contains(const List& list, std::string_view value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool IsPython(std::string_view base) {
  if (!base.starts_with("python") && !base.starts_with("pypy")) return false;
  base.remove_prefix(base.starts_with("python") ? 6 : 4);
  return base.find_first_not_of("0123456789.") == base.npos;
}

bool IsVariable(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != word.npos && equals > 0 &&
         (word[0] < '0' || word[0] > '9') &&
         word.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
             "abcdefghijklmnopqrstuvwxyz0123456789_") == equals;
}

bool IsTrainerScript(std::string_view path) {
  std::string_view base = BaseName(path);
  if (base.ends_with(".py")) base.remove_suffix(3);
  return Contains(kTrainerPrograms, base);
}

bool IsTrainerModule(std::string_view module) {
  return Contains(kTrainerModules, module) ||
         Contains(kTrainerPrograms, module.substr(module.rfind('.') + 1));
}

bool IsRunnerScript(std::string_view path) {
  return std::any_of(kRunnerScripts.begin(), kRunnerScripts.end(),
                     [&](std::string_view end) {
                       return path.ends_with(end) &&
                              (path.size() == end.size() ||
                               path[path.size() - end.size() - 1] == '/');
                     });
}

// Statements found so far, the most exact one of each kind.
struct Statements {
  std::array<std::optional<std::string>, 3> experiment;
  std::array<std::optional<std::string>, 3> project;

  void Take(std::string_view word) {
    word.remove_prefix(std::min(word.find_first_not_of('+'), word.size()));
    const std::size_t equals = word.find('=');
    if (equals == word.npos) return;
    const std::string_view name = word.substr(0, equals);
    std::string_view value = word.substr(equals + 1);
    if (value.size() >= 2 && (value[0] == '\'' || value[0] == '"') &&
        value.back() == value[0]) {
      value = value.substr(1, value.size() - 2);
    }
    if (value.empty() || value.find_first_of("$`") != value.npos) return;
    Set(name, "trainer.experiment_name", kExperimentVariables, value,
        &experiment);
    Set(name, "trainer.project_name", kProjectVariables, value, &project);
  }

 private:
  static void Set(std::string_view name, std::string_view option,
                  const std::string_view (&variables)[2],
                  std::string_view value,
                  std::array<std::optional<std::string>, 3>* target) {
    const std::size_t i = name == option         ? 0
                          : name == variables[0] ? 1
                          : name == variables[1] ? 2
                                                 : 3;
    if (i < target->size() && !(*target)[i]) (*target)[i] = std::string(value);
  }
};

std::optional<std::string> First(
    const std::array<std::optional<std::string>, 3>& values) {
  for (const auto& value : values) {
    if (value) return value;
  }
  return std::nullopt;
}

class Reader {
 public:
  Command Read(const Arguments& arguments) {
    if (!arguments.empty()) {
      if (arguments[0].starts_with("ray::")) {
        Title(arguments[0]);
      } else {
        Simple(arguments, 0);
      }
    }
    command_.experiment = First(statements_.experiment);
    command_.project = First(statements_.project);
    return std::move(command_);
  }

 private:
  void Title(std::string_view title) {
    command_.kind = ProgramKind::kRayWorker;
    title.remove_prefix(5);
    const std::string_view name = title.substr(0, title.find_first_of(".(: "));
    if (Contains(kTrainerActors, name)) command_.role = ProcessRole::kTrainer;
  }

  // One simple command. `depth`: of shells and wrappers around it.
  void Simple(const Arguments& words, int depth) {
    std::size_t i = 0;
    bool wrapped = depth > 0;
    while (i < words.size()) {
      if (IsVariable(words[i]) || Contains(kKeywords, words[i])) {
        Word(words[i++]);
        continue;
      }
      const std::size_t next = BehindWrapper(words, i);
      if (next == i) break;
      wrapped = true;
      i = next;
    }
    if (i < words.size()) Program(words, i, wrapped, depth);
  }

  // The index of the program behind the wrapper at `i`; `i`: it is none.
  static std::size_t BehindWrapper(const Arguments& words, std::size_t i) {
    const std::string_view base = BaseName(words[i]);
    const bool ray = base == "ray";
    if (ray) {  // ray job submit [options] -- program
      const auto dashes = std::find(
          words.begin() + static_cast<std::ptrdiff_t>(i), words.end(), "--");
      return dashes == words.end()
                 ? i
                 : static_cast<std::size_t>(dashes - words.begin()) + 1;
    }
    const auto wrapper = std::find_if(
        kWrappers.begin(), kWrappers.end(),
        [&](const Wrapper& candidate) { return candidate.name == base; });
    if (wrapper == kWrappers.end()) return i;
    int positional = wrapper->positional;
    for (++i; i < words.size(); ++i) {
      if (words[i].size() > 1 && words[i][0] == '-') {
        const std::string option = ' ' + words[i] + ' ';
        if (wrapper->value_options.find(option) != std::string_view::npos) ++i;
      } else if (positional-- <= 0) {
        break;
      }
    }
    return std::min(i, words.size());
  }

  void Program(const Arguments& words, std::size_t i, bool wrapped, int depth) {
    std::string_view base = BaseName(words[i]);
    if (base.starts_with('-')) base.remove_prefix(1);  // a login shell
    if (Contains(kShells, base)) {
      Shell(words, i + 1, depth);
    } else if (IsPython(base)) {
      if (!wrapped) command_.kind = ProgramKind::kPython;
      Python(words, i + 1, wrapped, depth);
    } else if (IsRunnerScript(words[i])) {
      Decide(ProcessRole::kRunner);
      Words(words, i + 1);
    } else if (base == "torchrun") {
      Decide(wrapped ? ProcessRole::kRunner : ProcessRole::kTrainer);
      Words(words, i + 1);
    } else {
      if (!wrapped && base == "tee") command_.kind = ProgramKind::kTee;
      if (!wrapped && base == "raylet") command_.kind = ProgramKind::kRaylet;
      Words(words, i + 1);
    }
  }

  void Shell(const Arguments& words, std::size_t i, int depth) {
    bool script = false;
    for (; i < words.size() && words[i].size() > 1 &&
           (words[i][0] == '-' || words[i][0] == '+');
         ++i) {
      const std::string& option = words[i];
      if (option == "--") {
        ++i;
        break;
      }
      if (option.starts_with("--")) {
        if (option == "--rcfile" || option == "--init-file") ++i;
        continue;
      }
      script = script || option.find('c') != option.npos;
      if (option.back() == 'o' || option.back() == 'O') ++i;
    }
    if (i >= words.size()) return;
    if (script) {
      constexpr int kDeepest = 3;
      if (depth >= kDeepest) return;
      for (const Arguments& command : SplitShell(words[i])) {
        Simple(command, depth + 1);
      }
    } else if (IsRunnerScript(words[i])) {
      Decide(ProcessRole::kRunner);
    }
    Words(words, i + 1);
  }

  void Python(const Arguments& words, std::size_t i, bool wrapped, int depth) {
    const ProcessRole role =
        wrapped ? ProcessRole::kRunner : ProcessRole::kTrainer;
    for (; i < words.size() && words[i].size() > 1 && words[i][0] == '-'; ++i) {
      const std::string& option = words[i];
      if (option == "-W" || option == "-X") ++i;
      if (option[1] != '-' && option.back() == 'c') return;  // code
      if (option[1] != '-' && option.back() == 'm') {
        if (i + 1 >= words.size()) return;
        if (IsTrainerModule(words[i + 1])) Decide(role);
        Words(words, i + 2);
        return;
      }
    }
    if (i >= words.size()) return;
    const std::size_t behind = BehindWrapper(words, i);
    if (behind != i && behind < words.size()) {  // python /bin/ray job submit
      Program(words, behind, true, depth);
      return;
    }
    if (IsTrainerScript(words[i])) Decide(role);
    Words(words, i + 1);
  }

  void Decide(ProcessRole role) {
    if (command_.role != ProcessRole::kTrainer) command_.role = role;
  }
  void Words(const Arguments& words, std::size_t i) {
    for (; i < words.size(); ++i) Word(words[i]);
  }
  void Word(const std::string& word) {
    statements_.Take(word);
    command_.words.push_back(word);
  }

  Command command_;
  Statements statements_;
};

}  // namespace

Command ReadCommand(const std::vector<std::string>& arguments) {
  return Reader().Read(arguments);
}

}  // namespace rlrun
