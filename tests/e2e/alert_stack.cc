#include "tests/e2e/alert_stack.h"

#include <rapidjson/document.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace rlrun::e2e {
namespace {

using daemon::HttpAnswer;
using daemon::HttpGet;
using daemon::ReadFile;
using daemon::WaitUntil;
using daemon::WriteFile;

constexpr char kAlerts[] = RLRUN_SOURCE_DIR "/alerts";
constexpr int kSeconds = 30;  // for a peer to come up

std::map<std::string, std::string> Labels(const rapidjson::Value& alert) {
  std::map<std::string, std::string> labels;
  for (const auto& pair : alert["labels"].GetObject()) {
    labels[pair.name.GetString()] = pair.value.GetString();
  }
  return labels;
}

bool Get(const std::string& url, rapidjson::Document* document) {
  const HttpAnswer answer = HttpGet(url);
  document->Parse(answer.body.data(), answer.body.size());
  return answer.status == 200 && !document->HasParseError();
}

// The address behind `msg="Listening on" address=`.
std::string ListeningAt(const std::string& log) {
  constexpr std::string_view kMark = "msg=\"Listening on\" address=";
  const std::size_t mark = log.find(kMark);
  if (mark == std::string::npos) return "";
  const std::size_t begin = mark + kMark.size();
  const std::size_t end = log.find_first_of(" \n", begin);
  return end == std::string::npos ? "" : log.substr(begin, end - begin);
}

void WriteSecrets(const std::string& folder, const std::string& receiver) {
  std::filesystem::create_directories(folder);
  WriteFile(folder + "/slack_url", "http://" + receiver + "/slack");
  WriteFile(folder + "/pagerduty_key", "a-routing-key");
  WriteFile(folder + "/smtp_password", "a-password");
  WriteFile(folder + "/webhook_token", "a-token");
}

}  // namespace

std::string Peer(const std::string& path) {
  const char* folder = std::getenv("RLRUN_PEERS");
  const std::string full =
      std::string(folder != nullptr && *folder != '\0' ? folder : RLRUN_PEERS) +
      "/" + path;
  return access(full.c_str(), X_OK) == 0 ? full : "";
}

notify::Places PlacesFor(const std::string& exporter,
                         const std::string& alertmanager,
                         const std::string& receiver,
                         const std::string& secrets) {
  return {{"127.0.0.1:10190", exporter},
          {"127.0.0.1:9093", alertmanager},
          {"127.0.0.1:9099", receiver},
          {"/etc/alertmanager/secrets", secrets},
          {"https://events.pagerduty.com", "http://" + receiver},
          // Nobody answers there: mail needs TLS.
          {"mail.example.org:587", "127.0.0.1:9"}};
}

AlertStack::AlertStack(const std::string& root, const std::string& config)
    : receiver_([this](const notify::Post& post) {
        const std::lock_guard lock(mutex_);
        posts_.push_back(post);
      }) {
  WriteSecrets(dir_.File("secrets"), receiver_.address());
  WriteFile(dir_.File("exporter.yaml"), config);
  exporter_ =
      std::make_unique<daemon::ExporterProcess>(std::vector<std::string>{
          root, "--config.file=" + dir_.File("exporter.yaml")});
  exporter_url_ = exporter_->Url();
  if (exporter_url_.empty()) throw std::runtime_error(exporter_->Err());
  std::filesystem::copy(std::string(kAlerts) + "/templates",
                        dir_.File("templates"));
  WriteFiles("");
  alertmanager_ = StartPeer(
      {Peer("bin/alertmanager"),
       "--config.file=" + dir_.File("alertmanager.yaml"),
       "--storage.path=" + dir_.File("alertmanager"),
       "--web.listen-address=127.0.0.1:0", "--cluster.listen-address="},
      &alertmanager_url_);
  WriteFiles(alertmanager_url_.substr(7));
  prometheus_ = StartPeer(
      {Peer("usr/bin/prometheus"),
       "--config.file=" + dir_.File("prometheus.yaml"),
       "--storage.tsdb.path=" + dir_.File("prometheus"),
       // A minute unless told otherwise. Alertmanager takes an alert for over
       // when nothing is sent for four times as long: more than a busy machine
       // may stop us for.
       "--rules.alert.resend-delay=10s", "--web.listen-address=127.0.0.1:0"},
      &prometheus_url_);
}

AlertStack::~AlertStack() { Stop(); }

void AlertStack::WriteFiles(const std::string& alertmanager) {
  const notify::Places places =
      PlacesFor(exporter_url_.substr(7), alertmanager, receiver_.address(),
                dir_.File("secrets"));
  for (const auto& entry : std::filesystem::directory_iterator(kAlerts)) {
    if (entry.path().extension() != ".yaml") continue;
    WriteFile(dir_.File(entry.path().filename().string()),
              notify::Shorten(ReadFile(entry.path().string()), places));
  }
}

std::unique_ptr<daemon::ChildProcess> AlertStack::StartPeer(
    const std::vector<std::string>& argv, std::string* url) {
  if (argv[0].empty()) {
    throw std::runtime_error(
        "a peer is not here; scripts/install-deps.sh test unpacks it");
  }
  auto process = std::make_unique<daemon::ChildProcess>(argv);
  WaitUntil(
      [&] {
        const std::string address = ListeningAt(process->Err());
        if (!address.empty()) *url = "http://" + address;
        return !address.empty() || !process->Running();
      },
      kSeconds);
  if (url->empty()) throw std::runtime_error(argv[0] + "\n" + process->Err());
  return process;
}

std::vector<notify::Post> AlertStack::Posts() const {
  const std::lock_guard lock(mutex_);
  return posts_;
}

std::vector<KnownAlert> AlertStack::Firing() const {
  rapidjson::Document document;
  std::vector<KnownAlert> out;
  if (!Get(prometheus_url_ + "/api/v1/alerts", &document)) return out;
  for (const auto& alert : document["data"]["alerts"].GetArray()) {
    if (std::string_view(alert["state"].GetString()) == "firing") {
      out.push_back({Labels(alert), false});
    }
  }
  return out;
}

std::vector<KnownAlert> AlertStack::Active() const {
  rapidjson::Document document;
  std::vector<KnownAlert> out;
  if (!Get(alertmanager_url_ + "/api/v2/alerts", &document)) return out;
  for (const auto& alert : document.GetArray()) {
    out.push_back(
        {Labels(alert), !alert["status"]["inhibitedBy"].GetArray().Empty()});
  }
  return out;
}

std::vector<std::string> AlertStack::FailedRules() const {
  rapidjson::Document document;
  std::vector<std::string> failed;
  if (!Get(prometheus_url_ + "/api/v1/rules", &document)) return {"no answer"};
  for (const auto& group : document["data"]["groups"].GetArray()) {
    for (const auto& rule : group["rules"].GetArray()) {
      if (std::string_view(rule["health"].GetString()) != "ok") {
        failed.push_back(rule["name"].GetString());
      }
    }
  }
  return failed;
}

double AlertStack::Query(const std::string& expression) const {
  rapidjson::Document document;
  if (!Get(prometheus_url_ +
               "/api/v1/query?query=" + daemon::PercentEncode(expression),
           &document)) {
    return std::nan("");
  }
  const auto& result = document["data"]["result"].GetArray();
  if (result.Empty()) return std::nan("");
  return std::atof(result[0]["value"][1].GetString());
}

bool AlertStack::WaitForEvaluations(int times) {
  // Of each group of rules.
  const auto iterations = [this] {
    std::map<std::string, double> counts;
    const std::string text = HttpGet(prometheus_url_ + "/metrics").body;
    constexpr std::string_view kName = "prometheus_rule_group_iterations_total";
    for (std::size_t at = text.find(kName); at != text.npos;
         at = text.find(kName, at + 1)) {
      const std::size_t space = text.find("\"} ", at);
      if (text[at + kName.size()] != '{' || space == text.npos) continue;
      counts[text.substr(at, space - at)] = std::atof(text.c_str() + space + 3);
    }
    return counts;
  };
  const auto before = iterations();
  return WaitUntil(
      [&] {
        const auto after = iterations();
        return std::all_of(after.begin(), after.end(), [&](const auto& pair) {
          const auto at = before.find(pair.first);
          return pair.second >= times + (at == before.end() ? 0 : at->second);
        });
      },
      kSeconds);
}

void AlertStack::StopExporter() {
  exporter_->Signal(SIGTERM);
  exporter_->Wait(kSeconds);
}

std::string AlertStack::Logs() {
  return "exporter:\n" + exporter_->Err() + "prometheus:\n" +
         prometheus_->Err() + "alertmanager:\n" + alertmanager_->Err();
}

bool AlertStack::Stop() {
  bool good = true;
  for (daemon::ChildProcess* process :
       {prometheus_.get(), alertmanager_.get(),
        static_cast<daemon::ChildProcess*>(exporter_.get())}) {
    if (process == nullptr) continue;
    process->Signal(SIGTERM);
  }
  for (daemon::ChildProcess* process :
       {prometheus_.get(), alertmanager_.get(),
        static_cast<daemon::ChildProcess*>(exporter_.get())}) {
    if (process != nullptr) good = process->Wait(kSeconds).has_value() && good;
  }
  return good;
}

}  // namespace rlrun::e2e
