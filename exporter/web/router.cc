#include "exporter/web/router.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <numeric>
#include <system_error>

#include "exporter/report/html.h"
#include "exporter/report/report_json.h"
#include "exporter/report/run_match.h"
#include "exporter/report/run_path.h"
#include "exporter/report/runbook_page.h"
#include "exporter/web/accept_encoding.h"
#include "exporter/web/landing_page.h"

namespace rlrun {
namespace {

// Path part of an URL without its last slashes; a path alone is taken as one.
std::string PathOf(std::string_view url) {
  if (const std::size_t scheme = url.find("://"); scheme != url.npos) {
    const std::size_t slash = url.find('/', scheme + 3);
    url = slash == url.npos ? std::string_view() : url.substr(slash);
  }
  url = url.substr(0, url.find_first_of("?#"));
  while (url.ends_with('/')) url.remove_suffix(1);
  return std::string(url);
}

WebResponse Line(int status, std::string_view text) {
  WebResponse response;
  response.status = status;
  response.body = text;
  // One line, whatever the text holds.
  std::replace_if(
      response.body.begin(), response.body.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  response.body += '\n';
  return response;
}

WebResponse NotAllowed(std::string allow) {
  WebResponse response = Line(405, "405 method not allowed; use " + allow);
  response.headers.emplace_back("Allow", std::move(allow));
  return response;
}

constexpr const char* kFirstPass = "the first pass over the files is under way";
constexpr std::size_t kNearNames = 5;
constexpr int kLeastRefresh = 2, kMostRefresh = 3600;  // seconds

// Seconds of `?refresh=`; 0: none, or no number.
int RefreshSeconds(const std::string& text) {
  int seconds = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, seconds);
  if (parsed.ec != std::errc() || parsed.ptr != end || seconds <= 0) return 0;
  return std::clamp(seconds, kLeastRefresh, kMostRefresh);
}

double WallClock() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

constexpr std::string_view kNotFound = "404 not found";
WebResponse NoRoute() { return Line(404, kNotFound); }
bool IsNoRoute(const WebResponse& r) { return r.body.starts_with(kNotFound); }

// Slashes at the end of a canonical name are none of it.
std::string_view RunOf(std::string_view name) {
  while (name.ends_with('/')) name.remove_suffix(1);
  return name;
}

// The run of that canonical name. Behind a proxy that decodes, it is the only
// one whose name reads so.
const RunPage* FindRun(const ReportSet& set, std::string_view name) {
  for (const auto& page : set.runs) {
    if (RunPath(page->report.project, page->report.run) == name) {
      return page.get();
    }
  }
  const std::string plain = DecodePath(name);
  const RunPage* found = nullptr;
  for (const auto& page : set.runs) {
    if (PlainRunPath(page->report.project, page->report.run) != plain) continue;
    if (found != nullptr) return nullptr;
    found = page.get();
  }
  return found;
}

WebResponse Icon() {
  WebResponse response;
  response.content_type = "image/svg+xml";
  response.headers.emplace_back("Cache-Control", "max-age=86400");
  response.body = PageIcon();
  return response;
}

// The names nearest to one that there is no run of.
std::vector<RunName> NamesNear(const ReportSet& set, std::string_view path) {
  const std::string plain = DecodePath(path);
  std::string_view name = plain;
  if (name.starts_with("-/")) name.remove_prefix(2);
  std::vector<RunName> names;
  names.reserve(set.runs.size());
  for (const auto& page : set.runs) {
    names.push_back({page->report.project, page->report.run});
  }
  std::vector<RunName> near;
  for (const std::size_t i : NearestRuns(name, names, kNearNames)) {
    near.push_back(names[i]);
  }
  return near;
}

void Pack(const WebRequest& request, WebResponse* response) {
  if (!AcceptsGzip(request.accept_encoding)) return;
  std::string packed = Gzip(response->body);
  if (packed.empty()) return;
  response->body = std::move(packed);
  response->headers.emplace_back("Content-Encoding", "gzip");
}

WebResponse Packed(const WebRequest& request, WebResponse response) {
  response.headers.emplace_back("Vary", "Accept-Encoding");
  Pack(request, &response);
  return response;
}

std::string WhatIsWrong() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "unknown error";
  }
}

constexpr const char* kRead = "GET, HEAD";
constexpr const char* kWrite = "POST, PUT";

bool Allows(std::string_view methods, std::string_view method) {
  return methods == kRead ? method == "GET" || method == "HEAD"
                          : method == "POST" || method == "PUT";
}

}  // namespace

struct Router::Route {
  enum class Takes { kPath, kNameBehind };

  std::string_view path;
  Takes takes;
  const char* methods;
  // `name`: canonical, what stands behind the path.
  WebResponse (*answer)(Router& router, const WebRequest& request,
                        std::string_view name);
};

// Beside the metrics, whose path is an option. The first that fits answers.
const Router::Route Router::kRoutes[] = {
    {"/-/reload", Route::Takes::kPath, kWrite,
     [](Router& r, const WebRequest&, std::string_view) { return r.Reload(); }},
    {"/-/healthy", Route::Takes::kPath, kRead,
     [](Router&, const WebRequest&, std::string_view) {
       return Line(200, "rlrun_exporter is healthy");
     }},
    {"/-/ready", Route::Takes::kPath, kRead,
     [](Router& r, const WebRequest&, std::string_view) { return r.Ready(); }},
    {"/favicon.svg", Route::Takes::kPath, kRead,
     [](Router&, const WebRequest&, std::string_view) { return Icon(); }},
    {"/runbooks", Route::Takes::kPath, kRead,
     [](Router& r, const WebRequest& request, std::string_view) {
       return r.RunbookHtml(request, "");
     }},
    {"/runbooks/", Route::Takes::kNameBehind, kRead,
     [](Router& r, const WebRequest& request, std::string_view name) {
       return r.RunbookHtml(request, name);
     }},
    {"/", Route::Takes::kPath, kRead,
     [](Router& r, const WebRequest& request, std::string_view) {
       return Packed(request, r.Landing(request, "."));
     }},
    {"/runs", Route::Takes::kPath, kRead,
     [](Router& r, const WebRequest& request, std::string_view) {
       return Packed(request, r.Landing(request, "."));
     }},
    {"/runs/", Route::Takes::kPath, kRead,
     [](Router& r, const WebRequest& request, std::string_view) {
       return Packed(request, r.Landing(request, ".."));
     }},
    {"/runs/", Route::Takes::kNameBehind, kRead,
     [](Router& r, const WebRequest& request, std::string_view name) {
       return Packed(request, r.RunHtml(request, RunOf(name)));
     }},
    {"/api/v1/runs", Route::Takes::kPath, kRead,
     [](Router& r, const WebRequest& request, std::string_view) {
       return Packed(request, r.RunsJson(""));
     }},
    {"/api/v1/runs/", Route::Takes::kNameBehind, kRead,
     [](Router& r, const WebRequest& request, std::string_view name) {
       return Packed(request, r.RunsJson(RunOf(name)));
     }},
};

Router::Router(WebOptions options, WebCallbacks callbacks)
    : options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      telemetry_(EncodePath(options_.telemetry_path)),
      prefix_(DecodePath(PathOf(options_.external_url))),
      written_prefix_(EncodePath(prefix_)),
      style_policy_(LandingPagePolicy()) {}

std::string Router::Check() const {
  const std::string& path = options_.telemetry_path;
  const auto odd = [](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || c == '?' || c == '#';
  };
  if (!path.starts_with('/') || std::any_of(path.begin(), path.end(), odd)) {
    return "telemetry path " + path +
           ": must begin with / and hold no blank, ? or #";
  }
  if (path.starts_with("/-/")) {
    return "telemetry path " + path + ": /-/ is taken";
  }
  for (const auto& [name, link] :
       {std::pair("runbook", &options_.runbook_url),
        std::pair("Grafana", &options_.grafana_url)}) {
    const bool web =
        link->starts_with("http://") || link->starts_with("https://");
    if (!link->empty() &&
        (!web || std::any_of(link->begin(), link->end(), odd))) {
      return std::string(name) + " URL " + *link +
             ": must begin with http:// or https:// and hold no blank, ? or #";
    }
  }
  const std::string& url = options_.external_url;
  if (!url.empty() && !url.starts_with("http://") &&
      !url.starts_with("https://") && !url.starts_with('/')) {
    return "external URL " + url + ": must begin with http://, https:// or /";
  }
  if (std::any_of(url.begin(), url.end(), odd)) {
    return "external URL " + url + ": must hold no blank, ? or #";
  }
  return "";
}

std::string_view Router::LocalPath(std::string_view path) const {
  if (!path.starts_with(written_prefix_)) return path;
  const std::string_view rest = path.substr(written_prefix_.size());
  if (rest.empty()) return "/";
  return rest.starts_with('/') ? rest : path;
}

WebResponse Router::Answer(const WebRequest& request) {
  const std::string path = CanonicalPath(request.path);
  const std::string_view local = LocalPath(path);
  WebResponse response = AnswerPath(request, local);
  if (response.status != 404 || local == path) return response;
  // What looks like the prefix may be the path itself, of which a proxy has
  // taken the prefix.
  WebResponse whole = AnswerPath(request, path);
  const bool knows = whole.status != 404 || IsNoRoute(response);
  return knows ? std::move(whole) : std::move(response);
}

WebResponse Router::AnswerPath(const WebRequest& request,
                               std::string_view path) {
  if (path == telemetry_) {
    return Allows(kRead, request.method) ? Metrics(request) : NotAllowed(kRead);
  }
  for (const Route& route : kRoutes) {
    const bool fits = route.takes == Route::Takes::kNameBehind
                          ? path.starts_with(route.path)
                          : path == route.path;
    if (!fits) continue;
    if (!Allows(route.methods, request.method)) {
      return NotAllowed(route.methods);
    }
    try {
      return route.answer(*this, request, path.substr(route.path.size()));
    } catch (...) {
      return Line(500, "500 " + WhatIsWrong());
    }
  }
  return NoRoute();
}

std::vector<std::string> Router::Paths() const {
  std::vector<std::string> paths = {telemetry_};
  for (const Route& route : kRoutes) {
    if (paths.back() != route.path) paths.emplace_back(route.path);
  }
  return paths;
}

std::shared_ptr<const Snapshot> Router::LatestSnapshot() const {
  return callbacks_.snapshot ? callbacks_.snapshot() : nullptr;
}

std::string Router::Collect(TextFormat format) const {
  std::string body;
  if (const auto snapshot = LatestSnapshot()) {
    std::size_t size = 0;
    for (const auto& block : snapshot->blocks) size += block->text.size();
    body.reserve(size + size / 8 + (64u << 10));  // headers, self-metrics
    AppendBlocks(&body, snapshot->blocks, format);
  }
  if (callbacks_.self_metrics) callbacks_.self_metrics(&body, format);
  if (format == TextFormat::kOpenMetrics100) body += "# EOF\n";
  return body;
}

WebResponse Router::Metrics(const WebRequest& request) {
  WebResponse response;
  const TextFormat format = NegotiateFormat(request.accept);
  try {
    response.body = Collect(format);
    response.content_type = ContentType(format);
    response.headers.emplace_back("Vary", "Accept, Accept-Encoding");
    Pack(request, &response);
    return response;
  } catch (...) {
    response = Line(500, "collecting metrics failed: " + WhatIsWrong());
  }
  if (callbacks_.scrape_failed) callbacks_.scrape_failed();
  return response;
}

WebResponse Router::Landing(const WebRequest& request,
                            std::string_view up) const {
  const double now = WallClock();
  // Relative without a prefix: it may be a proxy's that nobody has told of.
  PageLinks links = Links(request);
  if (prefix_.empty()) links.root = up;
  const auto snapshot = LatestSnapshot();
  WebResponse response = Html();
  response.body = LandingPage(snapshot.get(), callbacks_.version, links,
                              options_.telemetry_path, now);
  return response;
}

std::shared_ptr<const ReportSet> Router::Reports() const {
  return callbacks_.reports ? callbacks_.reports() : nullptr;
}

PageLinks Router::Links(const WebRequest& request) const {
  PageLinks links;
  links.root = prefix_;
  links.refresh = RefreshSeconds(request.refresh);
  links.runbooks = options_.runbook_url;
  links.grafana = options_.grafana_url;
  while (links.grafana.ends_with('/')) links.grafana.pop_back();
  return links;
}

WebResponse Router::Html() const {
  WebResponse response;
  response.content_type = "text/html; charset=utf-8";
  response.headers.emplace_back("Content-Security-Policy", style_policy_);
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

WebResponse Router::RunHtml(const WebRequest& request,
                            std::string_view name) const {
  const auto set = Reports();
  if (set == nullptr) return Line(503, "503 no reports yet; try again");
  WebResponse response = Html();
  if (const RunPage* page = FindRun(*set, name)) {
    response.body = RunPageHtml(*page, Links(request), WallClock());
  } else {
    response.status = IsReady() ? 404 : 503;
    response.body = NoSuchRunHtml(Links(request), DecodePath(name),
                                  NamesNear(*set, name), IsReady());
  }
  return response;
}

WebResponse Router::RunbookHtml(const WebRequest& request,
                                std::string_view name) const {
  WebResponse response = Html();
  response.body =
      RunbookPageHtml(Links({}), name, {request.project, request.run, {}});
  if (response.body.empty()) return Line(404, "404 no such runbook");
  return response;
}

WebResponse Router::RunsJson(std::string_view name) const {
  WebResponse response;
  response.content_type = "application/json";
  response.headers.emplace_back("Cache-Control", "no-store");
  const auto set = Reports();
  if (set == nullptr) {
    response.status = 503;
    response.body = ErrorJson("no reports yet; try again", {});
    return response;
  }
  std::vector<RunReport> reports;
  if (name.empty()) {
    reports.reserve(set->runs.size());
    for (const auto& page : set->runs) reports.push_back(page->report);
  } else if (const RunPage* page = FindRun(*set, name)) {
    reports.push_back(page->report);
  } else {
    response.status = IsReady() ? 404 : 503;
    response.body = ErrorJson(IsReady() ? "no such run" : kFirstPass,
                              NamesNear(*set, name));
    return response;
  }
  if (reports.empty() && !IsReady()) {
    response.status = 503;
    response.body = ErrorJson(kFirstPass, {});
    return response;
  }
  StatusChoice choice;
  choice.full.resize(reports.size());
  std::iota(choice.full.begin(), choice.full.end(), std::size_t{0});
  const bool partial = name.empty() && !IsReady();
  response.body = StatusJson(reports, choice, {}, set->made_at, partial);
  return response;
}

bool Router::IsReady() const {
  const auto snapshot = LatestSnapshot();
  return snapshot && snapshot->ready;
}

WebResponse Router::Ready() const {
  if (IsReady()) return Line(200, "rlrun_exporter is ready");
  return Line(503, "not ready: " + std::string(kFirstPass));
}

WebResponse Router::Reload() {
  if (!options_.enable_lifecycle) {
    return Line(403, "reload is off; --web.enable-lifecycle turns it on");
  }
  if (!callbacks_.reload) return Line(500, "reload failed: nothing to reload");
  // One at a time: reloads that wait for a slow disk must not take the
  // workers away from scrapes.
  const std::unique_lock lock(reloading_, std::try_to_lock);
  if (!lock) return Line(503, "a reload is under way");
  try {
    const std::string wrong = callbacks_.reload();
    if (wrong.empty()) return Line(200, "reloaded");
    WebResponse response;
    response.status = 500;
    response.body = "reload failed: " + wrong;
    if (!response.body.ends_with('\n')) response.body += '\n';
    return response;
  } catch (...) {
    return Line(500, "reload failed: " + WhatIsWrong());
  }
}

}  // namespace rlrun
