// HTTP: routes, content negotiation, listeners. Reads snapshots only; no file
// system, no parsing.
// Start and Stop are called by one thread; handlers run on the server's own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "exporter/exposition/exposition.h"
#include "exporter/metrics/snapshot.h"
#include "exporter/report/report_board.h"
#include "exporter/web/access.h"
#include "exporter/web/options.h"

namespace rlrun {

// What the server asks of the rest of the process. Every function may be called
// from several threads at once.
struct WebCallbacks {
  // Never null once the first snapshot is published; null before.
  std::function<std::shared_ptr<const Snapshot>()> snapshot;
  // Appends the exporter's own families (header and samples). May throw: the
  // scrape is then answered with 500 and counted, the process goes on.
  std::function<void(std::string* out, TextFormat format)> self_metrics;
  // Reloads the configuration; empty string: done, else what is wrong.
  std::function<std::string()> reload;
  // Told once per scrape that was answered with 500.
  std::function<void()> scrape_failed;
  // The newest status reports; null: there are none. May wait a moment.
  std::function<std::shared_ptr<const ReportSet>()> reports;
  std::string version;
};

// Empty, or one line that says which option makes no sense. Opens nothing.
std::string CheckWebOptions(const WebOptions& options);

class Server {
 public:
  // `access` null: for everybody, in plain HTTP.
  Server(WebOptions options, WebCallbacks callbacks,
         std::shared_ptr<Access> access = nullptr);
  ~Server();  // stops
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Binds every address, then serves on threads of its own. Returns an empty
  // string, or one line that names the address and says what is wrong; nothing
  // is served then.
  std::string Start();
  // `http://127.0.0.1:43121` for each listener, in the order of the options.
  std::vector<std::string> urls() const;
  // From now on; may be called from any thread between Start and Stop. With TLS
  // if the one before had it.
  void SetAccess(const std::shared_ptr<Access>& access);
  // Returns within about a second, whatever clients do.
  void Stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rlrun
