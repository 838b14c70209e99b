// One connection: bytes from and to a client that may be slow, silent or
// hostile, in plain or in TLS, without ever waiting for it. What a request says
// and what is answered is left to others.
// Not thread-safe.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "exporter/web/access.h"

namespace rlrun {

// Times in seconds.
struct HttpLimits {
  // Threads that answer requests. None is ever taken by a client that is slow.
  std::size_t threads = 16;
  // Of one listener. One more, and whoever has waited longest without a whole
  // request has to go.
  std::size_t connections = 512;
  std::size_t head_bytes = 16u << 10;
  // Of answers that are made or sent at once. What would be more waits, and
  // meanwhile whoever reads slowly for so long has to go; the slowest first.
  std::size_t answer_bytes = 128u << 20;
  double slow_after = 5;            // seconds
  double slow_bytes = 1048576;      // each second
  int keep_alive_requests = 10000;  // of one connection
  int keep_alive = 120;             // without a byte, between two requests
  int read = 5;     // from the first byte of a request to the end of its head
  int write = 5;    // without a byte taken
  int answer = 60;  // from the first byte of an answer to its last
};

class Connection {
 public:
  // What it waits for: the client's bytes, room for more of ours, somebody who
  // answers, nothing any more.
  enum class Wait { kRead, kWrite, kAnswer, kEnd };

  // Takes the descriptor, which does not block. `now` in steady seconds, as
  // everywhere here.
  Connection(int fd, std::shared_ptr<Access> access, const HttpLimits& limits,
             double now);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Goes as far as it gets.
  Wait Advance(double now);
  // The head of a request, with its empty line, after kAnswer.
  std::string TakeHead();
  // The answer to it; `last`: nothing more is read from this client. Advance
  // sends it.
  void Answer(std::string bytes, bool last, double now);

  // When it has lost its patience; infinite while somebody answers.
  double deadline() const { return deadline_; }
  // It holds no whole request; since when it does not.
  bool idle() const { return state_ != State::kInHand && !sending(); }
  double idle_since() const { return since_; }
  bool sending() const { return state_ == State::kSend; }
  bool in_hand() const { return state_ == State::kInHand; }
  std::size_t holds() const {  // bytes, for its answer
    return out_.empty() ? 0 : out_.capacity();
  }
  double begun() const { return begun_; }  // to send it
  std::size_t sent() const { return sent_; }
  int fd() const { return fd_; }
  const std::shared_ptr<Access>& access() const { return access_; }
  int requests() const { return requests_; }

 private:
  enum class State { kHandshake, kHead, kInHand, kSend, kLinger, kEnd };

  // Above 0: bytes; 0: the end; below 0: wait for wait_.
  std::int64_t Read(char* to, std::size_t size);
  std::int64_t Write(const char* from, std::size_t size);
  std::int64_t TlsResult(int result);
  bool Handshake();
  bool ReadHead(double now);
  bool Send(double now);
  bool Linger();
  void Close(double now);

  const int fd_;
  const std::shared_ptr<Access> access_;
  const HttpLimits& limits_;
  std::unique_ptr<SSL, decltype(&::SSL_free)> ssl_{nullptr, &::SSL_free};
  State state_;
  Wait wait_ = Wait::kRead;
  std::string in_;
  std::size_t searched_ = 0;  // of in_: no head ends before
  std::size_t head_ = 0;      // bytes of the head in in_
  std::string out_;
  std::size_t sent_ = 0;
  std::size_t drained_ = 0;
  bool last_ = false;
  int requests_ = 0;
  double since_;
  double begun_ = 0;  // sending
  double deadline_;
};

}  // namespace rlrun
