// What the demo of scripts/run.sh needs beside the exporter and its peers:
//   rlrun_notify listen
//   rlrun_notify shorten FROM TO [TEXT=TEXT]...
// listen says where it listens, then prints each notification that Alertmanager
// posts to it, until it is told to end. shorten copies the rules, the
// configurations and the templates below FROM to TO with short durations, and
// replaces the left texts by the right ones.

#include <signal.h>

#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/notify/notification.h"
#include "tests/notify/receiver.h"
#include "tests/notify/shorten.h"

namespace rlrun::notify {
namespace {

constexpr int kUsage = 64;

std::string TimeNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M:%S", &parts);
  return text;
}

int Listen() {
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ends, signal);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  const Receiver receiver([](const Post& post) {
    // Of Slack's and PagerDuty's posts the alerts are told by the webhook.
    if (post.path != "/rlrun") return;
    std::fputs(
        PrintNotification(ParseNotification(post.body), TimeNow()).c_str(),
        stdout);
    std::fflush(stdout);
  });
  std::printf("listening on http://%s\n", receiver.address().c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ends, &signal);
  return 0;
}

void CopyShortened(const std::filesystem::path& from,
                   const std::filesystem::path& to, const Places& places) {
  std::filesystem::create_directories(to / "templates");
  for (const auto& entry : std::filesystem::directory_iterator(from)) {
    if (entry.path().extension() != ".yaml") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::ofstream out(to / entry.path().filename(), std::ios::binary);
    out.exceptions(std::ios::badbit | std::ios::failbit);
    out << Shorten(text, places);
  }
  std::filesystem::copy(from / "templates", to / "templates",
                        std::filesystem::copy_options::overwrite_existing);
}

int Run(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0] == "listen") return Listen();
  if (words.size() < 3 || words[0] != "shorten") {
    std::fputs(
        "usage: rlrun_notify listen\n"
        "       rlrun_notify shorten FROM TO [TEXT=TEXT]...\n",
        stderr);
    return kUsage;
  }
  Places places;
  for (std::size_t i = 3; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (equals == std::string::npos || equals == 0) return kUsage;
    places.emplace_back(words[i].substr(0, equals),
                        words[i].substr(equals + 1));
  }
  CopyShortened(words[1], words[2], places);
  return 0;
}

}  // namespace
}  // namespace rlrun::notify

int main(int argc, char** argv) {
  try {
    return rlrun::notify::Run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rlrun_notify: %s\n", error.what());
    return 1;
  }
}
