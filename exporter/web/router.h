// What each path answers, without a word of HTTP syntax or sockets: a method
// and a path in, a status, headers and a body out.
// One router serves all threads: Answer may be called from several threads.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporter/report/page_frame.h"
#include "exporter/web/options.h"
#include "exporter/web/server.h"

namespace rlrun {

struct WebRequest {
  std::string method;
  std::string path;             // as it stands in the URL, without query
  std::string accept;           // values of the header, joined by commas
  std::string accept_encoding;  // likewise
  std::string refresh;          // value of `?refresh=`, decoded
  // Of `?project=` and `?run=`, decoded: the run that a runbook is about.
  std::string project = {}, run = {};
};

struct WebResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

class Router {
 public:
  Router(WebOptions options, WebCallbacks callbacks);

  // Empty, or one line that says which option makes no sense.
  std::string Check() const;
  // Never throws, but for lack of memory.
  WebResponse Answer(const WebRequest& request);
  // Every path that is answered, without the prefix of the external URL; one
  // that ends in a slash also with a name behind it. For tests of all of them.
  std::vector<std::string> Paths() const;

 private:
  struct Route;
  static const Route kRoutes[];

  // `path`: canonical.
  WebResponse AnswerPath(const WebRequest& request, std::string_view path);
  WebResponse Metrics(const WebRequest& request);
  std::string Collect(TextFormat format) const;
  // `up`: the way from the page to `/`.
  WebResponse Landing(const WebRequest& request, std::string_view up) const;
  WebResponse RunHtml(const WebRequest& request, std::string_view name) const;
  WebResponse RunsJson(std::string_view name) const;
  WebResponse RunbookHtml(const WebRequest& request,
                          std::string_view name) const;
  PageLinks Links(const WebRequest& request) const;
  WebResponse Html() const;  // without its body
  std::shared_ptr<const ReportSet> Reports() const;
  bool IsReady() const;  // the first pass is over
  WebResponse Ready() const;
  WebResponse Reload();
  std::shared_ptr<const Snapshot> LatestSnapshot() const;
  // Without the prefix of the external URL.
  std::string_view LocalPath(std::string_view path) const;

  const WebOptions options_;
  const WebCallbacks callbacks_;
  std::string telemetry_;       // its path as CanonicalPath writes it
  std::string prefix_;          // path of the external URL, without last slash
  std::string written_prefix_;  // the same, canonical
  std::string style_policy_;    // Content-Security-Policy of the landing page
  std::mutex reloading_;
};

}  // namespace rlrun
