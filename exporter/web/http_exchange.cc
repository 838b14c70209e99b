#include "exporter/web/http_exchange.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "exporter/web/request_head.h"

namespace rlrun {
namespace {

// What the library takes for a socket.
class MemoryStream : public httplib::Stream {
 public:
  MemoryStream(std::string_view in, std::string* out) : in_(in), out_(out) {}
  bool is_readable() const override { return !in_.empty(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override {
    const std::size_t n = std::min(size, in_.size());
    std::memcpy(to, in_.data(), n);
    in_.remove_prefix(n);
    return static_cast<ssize_t>(n);
  }
  ssize_t write(const char* from, std::size_t size) override {
    out_->append(from, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return INVALID_SOCKET; }

 private:
  std::string_view in_;
  std::string* out_;
};

// What a thread is about: the library passes nothing of ours through.
thread_local Exchange* current = nullptr;
thread_local double current_time = 0;

std::string Joined(const httplib::Headers& headers, const char* name) {
  std::string out;
  const auto [first, last] = headers.equal_range(name);
  for (auto it = first; it != last; ++it) {
    if (!out.empty()) out += ',';
    out += it->second;
  }
  return out;
}

// As it was asked for: the library's own is decoded.
std::string PathOf(const httplib::Request& request) {
  return request.target.substr(0, request.target.find('?'));
}

bool HasBody(const httplib::Request& request) {
  const std::string length = Joined(request.headers, "Content-Length");
  return request.has_header("Transfer-Encoding") ||
         (!length.empty() && length != "0");
}

// The connection ends behind the answer: a body is not read, since nothing here
// needs one, and what follows cannot be told from a request.
bool EndsConnection(const httplib::Request& request) {
  return HasBody(request) ||
         (request.version == "HTTP/1.0" &&
          request.get_header_value("Connection") != "Keep-Alive");
}

// A body of known length is sent as it is: the library compresses it no second
// time.
void SetBody(const httplib::Request& request, std::string body,
             const std::string& content_type, bool close,
             httplib::Response* response) {
  // The library's own request, which it shows as const.
  auto& changed = const_cast<httplib::Request&>(request);
  if (close) {
    changed.headers.erase("Connection");
    changed.set_header("Connection", "close");
    current->close = true;
  }
  if (body.empty()) {
    response->set_header("Content-Type", content_type);
    return;
  }
  const std::size_t size = body.size();
  const auto shared = std::make_shared<const std::string>(std::move(body));
  response->set_content_provider(
      size, content_type,
      [shared](std::size_t offset, std::size_t length,
               httplib::DataSink& sink) {
        sink.write(shared->data() + offset, length);
        return true;
      });
}

}  // namespace

HttpExchanger::HttpExchanger(Router* router, const HttpLimits& limits)
    : router_(router) {
  svr_sock_ = 0;  // the library sends nothing where it thinks it has stopped
  set_keep_alive_timeout(limits.keep_alive);
  set_keep_alive_max_count(
      static_cast<std::size_t>(limits.keep_alive_requests));
  set_default_headers({{"X-Content-Type-Options", "nosniff"},
                       {"Cache-Control", "no-store"},
                       {"Accept-Ranges", "none"}});
  // Every route is taken here: the library's own go through std::regex, and
  // would wait for the body of a POST that has none.
  set_pre_routing_handler(
      [this](const httplib::Request& request, httplib::Response& response) {
        Respond(request, &response);
        return HandlerResponse::Handled;
      });
  set_error_handler(HandlerWithResponse([](const httplib::Request& request,
                                           httplib::Response& response) {
    // The router's own answers have a type.
    if (response.has_header("Content-Type")) return HandlerResponse::Unhandled;
    SetBody(request,
            response.status < 500 ? "malformed request\n" : "internal error\n",
            "text/plain; charset=utf-8", true, &response);
    return HandlerResponse::Handled;
  }));
}

void HttpExchanger::Answer(Exchange* exchange, double now) {
  exchange->answer.clear();
  exchange->unchecked = exchange->close = false;
  const std::string head = PreparedHead(exchange->head);
  MemoryStream stream(head, &exchange->answer);
  bool closed = false;
  bool good = false;
  current = exchange;
  current_time = now;
  try {
    good = process_request(stream, exchange->last, closed,
                           [](httplib::Request&) {});
  } catch (...) {  // out of memory: this connection only
    exchange->answer.clear();
  }
  current = nullptr;
  exchange->close = exchange->close || exchange->last || closed || !good ||
                    stream.is_readable();
}

// False and *refusal is filled, but where the password is yet to be checked.
bool HttpExchanger::IsAllowed(const httplib::Request& request,
                              Exchange* exchange, WebResponse* refusal) {
  Access& access = *exchange->access;
  if (!exchange->may_check && !access.Admit(current_time)) {
    refusal->status = 429;
    refusal->body = "429 too many requests\n";
    return false;
  }
  if (access.for_everybody()) return true;
  std::optional<bool> allowed = false;
  if (request.get_header_value_count("Authorization") == 1) {
    const std::string given = request.get_header_value("Authorization");
    allowed = access.passwords().Known(given);
    if (!allowed && exchange->may_check) {
      allowed = access.passwords().Check(given);
    }
  }
  exchange->unchecked = !allowed;
  if (allowed.value_or(false)) return true;
  refusal->status = 401;
  refusal->body = "401 unauthorized\n";
  refusal->headers.emplace_back(
      "WWW-Authenticate", "Basic realm=\"rlrun_exporter\", charset=\"UTF-8\"");
  return false;
}

void HttpExchanger::Respond(const httplib::Request& request,
                            httplib::Response* response) {
  Exchange* const exchange = current;
  WebResponse answer;
  if (IsAllowed(request, exchange, &answer)) {
    answer = router_->Answer(
        {request.method, PathOf(request), Joined(request.headers, "Accept"),
         Joined(request.headers, "Accept-Encoding"),
         request.get_param_value("refresh"), request.get_param_value("project"),
         request.get_param_value("run")});
  }
  response->status = answer.status;
  // In place of the defaults of that name.
  for (const auto& header : answer.headers) {
    response->headers.erase(header.first);
  }
  for (const auto& [name, value] : answer.headers) {
    response->set_header(name, value);
  }
  for (const auto& [name, value] : exchange->access->headers()) {
    // Both policies of a page hold: a browser takes the stricter of two.
    if (!response->has_header(name) || name == "Content-Security-Policy") {
      response->set_header(name, value);
    }
  }
  SetBody(request, std::move(answer.body), answer.content_type,
          EndsConnection(request), response);
}

}  // namespace rlrun
