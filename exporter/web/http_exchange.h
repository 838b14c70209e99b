// From the head of one request to the bytes of its answer: the HTTP library's
// parser and writer around the router, with the question of who asks before it.
// No socket: the library reads from memory and writes to it.
// Answer may be called from several threads.
#pragma once

#include <httplib.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "exporter/web/access.h"
#include "exporter/web/connection.h"
#include "exporter/web/router.h"

namespace rlrun {

struct Exchange {
  std::string head;
  std::optional<std::size_t> expected = 0;  // bytes, while it is made
  std::shared_ptr<Access> access;
  bool last = false;  // of its connection, whatever the request says
  // The time that a password takes to be checked may be spent.
  bool may_check = false;

  // Filled by HttpExchanger::Answer:
  std::string answer;
  bool close = false;      // nothing more may be read from this client
  bool unchecked = false;  // no answer: ask again with may_check
};

class HttpExchanger : private httplib::Server {
 public:
  // `router` outlives this.
  HttpExchanger(Router* router, const HttpLimits& limits);

  // `now` in steady seconds. Never throws; where memory is out there is no
  // answer and the connection is to be closed.
  void Answer(Exchange* exchange, double now);

 private:
  void Respond(const httplib::Request& request, httplib::Response* response);
  bool IsAllowed(const httplib::Request& request, Exchange* exchange,
                 WebResponse* refusal);

  Router* const router_;
};

}  // namespace rlrun
