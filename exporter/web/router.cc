#include "exporter/web/router.h"

#include <algorithm>
#include <chrono>
#include <exception>

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

std::string WhatIsWrong() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "unknown error";
  }
}

}  // namespace

Router::Router(WebOptions options, WebCallbacks callbacks)
    : options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      prefix_(PathOf(options_.external_url)),
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
  if (prefix_.empty() || !path.starts_with(prefix_)) return path;
  const std::string_view rest = path.substr(prefix_.size());
  if (rest.empty()) return "/";
  return rest.starts_with('/') ? rest : path;
}

WebResponse Router::Answer(const WebRequest& request) {
  const std::string_view path = LocalPath(request.path);
  const bool get = request.method == "GET" || request.method == "HEAD";
  if (path == "/-/reload") {
    const bool post = request.method == "POST" || request.method == "PUT";
    return post ? Reload() : NotAllowed("POST, PUT");
  }
  const bool telemetry = path == options_.telemetry_path;
  const bool healthy = path == "/-/healthy";
  const bool ready = path == "/-/ready";
  if (!telemetry && !healthy && !ready && path != "/") {
    return Line(404, "404 not found");
  }
  if (!get) return NotAllowed("GET, HEAD");
  if (telemetry) return Metrics(request);
  if (healthy) return Line(200, "rlrun_exporter is healthy");
  try {
    return ready ? Ready() : Landing();
  } catch (...) {
    return Line(500, "500 " + WhatIsWrong());
  }
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
    if (AcceptsGzip(request.accept_encoding)) {
      std::string packed = Gzip(response.body);
      if (!packed.empty()) {
        response.body = std::move(packed);
        response.headers.emplace_back("Content-Encoding", "gzip");
      }
    }
    return response;
  } catch (...) {
    response = Line(500, "collecting metrics failed: " + WhatIsWrong());
  }
  if (callbacks_.scrape_failed) callbacks_.scrape_failed();
  return response;
}

WebResponse Router::Landing() const {
  using std::chrono::duration;
  const double now =
      duration<double>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  const LandingLinks links{prefix_, options_.telemetry_path};
  const auto snapshot = LatestSnapshot();
  WebResponse response;
  response.content_type = "text/html; charset=utf-8";
  response.headers.emplace_back("Content-Security-Policy", style_policy_);
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  response.body = LandingPage(snapshot.get(), callbacks_.version, links, now);
  return response;
}

WebResponse Router::Ready() const {
  const auto snapshot = LatestSnapshot();
  if (snapshot && snapshot->ready) {
    return Line(200, "rlrun_exporter is ready");
  }
  return Line(503, "not ready: the first pass over the files is under way");
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
