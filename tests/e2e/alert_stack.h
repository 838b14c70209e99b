// The exporter, Prometheus with the shipped rules and Alertmanager with the
// shipped configuration, each a process of its own on a free loopback port, and
// a receiver of what Alertmanager sends. What is shipped is changed by
// tests/notify/shorten.h and by nothing else.
// Thread-safe where it says so.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/daemon/exporter_process.h"
#include "tests/notify/notification.h"
#include "tests/notify/receiver.h"
#include "tests/notify/shorten.h"

namespace rlrun::e2e {

// An alert as Prometheus or Alertmanager has it.
struct KnownAlert {
  std::map<std::string, std::string> labels;
  bool inhibited = false;  // to Alertmanager
};

// Path of an unpacked peer, `bin/alertmanager` say; empty: it is not here.
std::string Peer(const std::string& path);

// Where the shipped files point at, and what the tests put there.
notify::Places PlacesFor(const std::string& exporter,
                         const std::string& alertmanager,
                         const std::string& receiver,
                         const std::string& secrets);

class AlertStack {
 public:
  // `config`: of the exporter. Throws std::runtime_error with the log of what
  // did not come up.
  AlertStack(const std::string& root, const std::string& config);
  ~AlertStack();

  std::vector<notify::Post> Posts() const;  // so far; thread-safe
  std::string Metrics() { return exporter_->Metrics(); }
  const std::string& exporter_url() const { return exporter_url_; }

  // Alerts that fire, to Prometheus; that are active, to Alertmanager.
  std::vector<KnownAlert> Firing() const;
  std::vector<KnownAlert> Active() const;
  std::vector<std::string> FailedRules() const;       // their names
  double Query(const std::string& expression) const;  // NaN: no such series
  // All groups of rules have been evaluated so many times from now on.
  bool WaitForEvaluations(int times);

  void StopExporter();
  std::string Logs();
  // With SIGTERM, each within some seconds; false: one had to be killed.
  bool Stop();

 private:
  void WriteFiles(const std::string& alertmanager);
  std::unique_ptr<daemon::ChildProcess> StartPeer(
      const std::vector<std::string>& argv, std::string* url);

  daemon::TempDir dir_;
  mutable std::mutex mutex_;
  std::vector<notify::Post> posts_;
  notify::Receiver receiver_;
  std::unique_ptr<daemon::ExporterProcess> exporter_;
  std::unique_ptr<daemon::ChildProcess> alertmanager_, prometheus_;
  std::string exporter_url_, alertmanager_url_, prometheus_url_;
};

}  // namespace rlrun::e2e
