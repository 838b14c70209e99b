// What happened, from beginning to end, once for all tests: runs are there,
// fall ill, get well or end, and at last the exporter goes. Each part waits
// for what must come, as long as it takes up to a deadline; what did not come
// is for the tests to say.
// Not thread-safe.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/daemon/http_get.h"
#include "tests/e2e/alert_stack.h"
#include "tests/e2e/live_runs.h"

namespace rlrun::e2e {

// An alert that was told by the webhook.
struct Told {
  enum class Part { kBefore, kSick, kLate, kDown };
  Part part;
  notify::NotifiedAlert alert;
  AlertId id;
  std::string run;  // empty: it has none
};

class Story {
 public:
  static const Story& Get();  // happens with the first call

  const std::string& error() const { return error_; }  // empty: it came about
  const LiveRuns& runs() const { return *runs_; }
  const std::vector<Told>& told() const { return told_; }
  const std::vector<notify::Post>& posts() const { return posts_; }

  // The newest notification that it fires, or is resolved; null: none.
  const Told* Find(const std::string& run, const AlertId& id,
                   bool firing) const;

  // While all that falls ill is ill.
  std::vector<KnownAlert> firing, active;
  // When it was told that a sick run has come to its end; by run.
  std::map<std::string, std::vector<KnownAlert>> active_at_end;
  std::vector<KnownAlert> down_active;  // when the exporter is known to be gone
  std::vector<std::string> failed_rules;
  std::string metrics;          // of the exporter, before it goes
  daemon::CommandResult stuck;  // `status --url` of the run that gets stuck
  std::string exporter_url;
  // What is served where an alert that was told says that its runbook is; by
  // that address.
  std::map<std::string, daemon::HttpAnswer> runbooks;
  std::string logs;
  bool stopped = false;  // all processes, by SIGTERM

 private:
  Story();
  void Happen();
  void Advance(bool late);
  void Collect(Told::Part part);  // what has been told since
  void WaitForEnd(const std::string& run, const AlertId& end);
  // False: not within the deadline.
  bool WaitForAlerts(Told::Part part, bool late);

  daemon::TempDir folder_;
  std::unique_ptr<LiveRuns> runs_;
  std::unique_ptr<AlertStack> stack_;
  std::vector<Told> told_;
  std::vector<notify::Post> posts_;
  std::string error_;
};

}  // namespace rlrun::e2e
