#include "exporter/web/http_engine.h"

#include <httplib.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace rlrun {
namespace {

// Reads from a text, writes to a text.
class TextStream : public httplib::Stream {
 public:
  explicit TextStream(std::string_view in) : in_(in) {}

  bool is_readable() const override { return !in_.empty(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override {
    size = std::min(size, in_.size());
    std::memcpy(to, in_.data(), size);
    in_.remove_prefix(size);
    return static_cast<ssize_t>(size);
  }
  ssize_t write(const char* from, std::size_t size) override {
    out_.append(from, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return INVALID_SOCKET; }

  std::string TakeOutput() { return std::move(out_); }

 private:
  std::string_view in_;
  std::string out_;
};

std::string Joined(const httplib::Headers& headers, const char* name) {
  std::string out;
  const auto [first, last] = headers.equal_range(name);
  for (auto it = first; it != last; ++it) {
    if (!out.empty()) out += ',';
    out += it->second;
  }
  return out;
}

class HttpEngine : public RequestHandler, private httplib::Server {
 public:
  HttpEngine(Router* router, int keep_alive_seconds, int keep_alive_requests)
      : router_(router) {
    set_keep_alive_timeout(keep_alive_seconds);
    set_keep_alive_max_count(static_cast<std::size_t>(keep_alive_requests));
    set_default_headers({{"X-Content-Type-Options", "nosniff"},
                         {"Cache-Control", "no-store"},
                         {"Accept-Ranges", "none"}});
    // Every route is taken here: the library's own go through std::regex.
    set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          Respond(request, &response);
          return HandlerResponse::Handled;
        });
    set_error_handler(HandlerWithResponse([](const httplib::Request&,
                                             httplib::Response& response) {
      if (!response.body.empty()) return HandlerResponse::Unhandled;
      response.set_content("malformed request\n", "text/plain; charset=utf-8");
      return HandlerResponse::Handled;
    }));
  }

  Reply Handle(const std::string& head, bool close) override {
    TextStream stream(head);
    bool connection_closed = false;
    routed_ = false;
    const bool ok = process_request(
        stream, close, connection_closed, [this](httplib::Request& request) {
          // Taken away, so that the library compresses nothing on its own.
          accept_encoding_ = Joined(request.headers, "Accept-Encoding");
          request.headers.erase("Accept-Encoding");
          request.ranges.clear();
        });
    // What the library could not read has no trustworthy successor.
    return {stream.TakeOutput(), close || connection_closed || !ok || !routed_};
  }

 private:
  void Respond(const httplib::Request& request, httplib::Response* response) {
    routed_ = true;
    WebResponse answer =
        router_->Answer({request.method, request.path,
                         Joined(request.headers, "Accept"), accept_encoding_});
    response->status = answer.status;
    for (const auto& [name, value] : answer.headers) {
      response->set_header(name, value);
    }
    response->set_header("Content-Type", answer.content_type);
    response->body = std::move(answer.body);
  }

  Router* const router_;
  std::string accept_encoding_;  // of the request in hand
  bool routed_ = false;          // the request in hand was readable
};

}  // namespace

std::unique_ptr<RequestHandler> MakeHttpEngine(Router* router,
                                               int keep_alive_seconds,
                                               int keep_alive_requests) {
  return std::make_unique<HttpEngine>(router, keep_alive_seconds,
                                      keep_alive_requests);
}

}  // namespace rlrun
