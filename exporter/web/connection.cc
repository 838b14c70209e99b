#include "exporter/web/connection.h"

#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

namespace rlrun {
namespace {

// A head ends with an empty line. The line before may end in a bare \n: the
// HTTP library takes that for the end as well, so both must see the same.
constexpr std::string_view kHeadEnd = "\n\r\n";
constexpr std::size_t kReadBytes = 4096;
// A client may still send when its connection is closed for what it has sent.
// What it sends is thrown away for so long, so that the answer reaches it.
constexpr double kLingerSeconds = 2;
constexpr std::size_t kLingerBytes = 1u << 20;
constexpr std::string_view kHeadTooLong =
    "HTTP/1.1 431 Request Header Fields Too Large\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Content-Length: 18\r\nConnection: close\r\n\r\nmalformed request\n";

}  // namespace

Connection::Connection(int fd, std::shared_ptr<Access> access,
                       const HttpLimits& limits, double now)
    : fd_(fd),
      access_(std::move(access)),
      limits_(limits),
      state_(access_->tls() == nullptr ? State::kHead : State::kHandshake),
      since_(now),
      // Who connects has something to say.
      deadline_(now + std::min(limits.keep_alive, limits.read)) {
  if (access_->tls() == nullptr) return;
  ssl_.reset(::SSL_new(access_->tls()->get()));
  if (ssl_ == nullptr || ::SSL_set_fd(ssl_.get(), fd_) != 1) {
    ::ERR_clear_error();
    state_ = State::kEnd;
    return;
  }
  ::SSL_set_accept_state(ssl_.get());
}

Connection::~Connection() {
  ssl_.reset();
  ::close(fd_);
}

Connection::Wait Connection::Advance(double now) {
  bool on = true;
  while (on) {
    switch (state_) {
      case State::kHandshake:
        on = Handshake();
        break;
      case State::kHead:
        on = ReadHead(now);
        break;
      case State::kSend:
        on = Send(now);
        break;
      case State::kLinger:
        on = Linger();
        break;
      case State::kInHand:
        return Wait::kAnswer;
      case State::kEnd:
        return Wait::kEnd;
    }
  }
  return state_ == State::kEnd ? Wait::kEnd : wait_;
}

std::int64_t Connection::TlsResult(int result) {
  if (result > 0) return result;
  const int error = ::SSL_get_error(ssl_.get(), result);
  ::ERR_clear_error();
  if (error == SSL_ERROR_WANT_READ) wait_ = Wait::kRead;
  if (error == SSL_ERROR_WANT_WRITE) wait_ = Wait::kWrite;
  return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? -1 : 0;
}

std::int64_t Connection::Read(char* to, std::size_t size) {
  if (ssl_ != nullptr) {
    return TlsResult(::SSL_read(ssl_.get(), to, static_cast<int>(size)));
  }
  for (;;) {
    const ssize_t n = ::recv(fd_, to, size, 0);
    if (n >= 0) return n;
    if (errno == EINTR) continue;
    wait_ = Wait::kRead;
    return errno == EAGAIN || errno == EWOULDBLOCK ? -1 : 0;
  }
}

std::int64_t Connection::Write(const char* from, std::size_t size) {
  if (ssl_ != nullptr) {
    const std::size_t most = std::min<std::size_t>(size, 1u << 20);
    return TlsResult(::SSL_write(ssl_.get(), from, static_cast<int>(most)));
  }
  for (;;) {
    const ssize_t n = ::send(fd_, from, size, MSG_NOSIGNAL);
    if (n > 0) return n;
    if (n < 0 && errno == EINTR) continue;
    wait_ = Wait::kWrite;
    return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? -1 : 0;
  }
}

// Each step below: false where there is nothing to do but wait.

bool Connection::Handshake() {
  const std::int64_t done = TlsResult(::SSL_accept(ssl_.get()));
  if (done < 0) return false;
  const std::unique_ptr<X509, decltype(&::X509_free)> certificate(
      done > 0 ? ::SSL_get1_peer_certificate(ssl_.get()) : nullptr,
      &::X509_free);
  if (done > 0 && access_->tls()->Allows(certificate.get())) {
    state_ = State::kHead;
    return true;
  }
  // The alert that says why is on its way.
  ::shutdown(fd_, SHUT_WR);
  state_ = State::kLinger;
  return true;
}

bool Connection::ReadHead(double now) {
  for (;;) {
    const std::size_t end = in_.find(kHeadEnd, searched_);
    if (end != std::string::npos) {
      head_ = end + kHeadEnd.size();
    } else {
      searched_ = in_.size() < 2 ? 0 : in_.size() - 2;
    }
    if (end == std::string::npos ? in_.size() >= limits_.head_bytes
                                 : head_ > limits_.head_bytes) {
      Answer(std::string(kHeadTooLong), true, now);
      return true;
    }
    if (end != std::string::npos) {
      state_ = State::kInHand;
      ++requests_;
      deadline_ = std::numeric_limits<double>::infinity();
      return true;
    }
    std::array<char, kReadBytes> buffer;
    const std::int64_t n = Read(buffer.data(), buffer.size());
    if (n < 0) return false;
    if (n == 0) {
      state_ = State::kEnd;
      return false;
    }
    // From here on the client is in the midst of a request.
    if (in_.empty()) {
      since_ = now;
      deadline_ = now + limits_.read;
    }
    in_.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

std::string Connection::TakeHead() {
  std::string head = in_.substr(0, head_);
  in_.erase(0, head_);
  searched_ = head_ = 0;
  return head;
}

void Connection::Answer(std::string bytes, bool last, double now) {
  out_ = std::move(bytes);
  sent_ = 0;
  last_ = last;
  begun_ = now;
  deadline_ = now + std::min(limits_.write, limits_.answer);
  state_ = State::kSend;
}

bool Connection::Send(double now) {
  while (sent_ < out_.size()) {
    const std::int64_t n = Write(out_.data() + sent_, out_.size() - sent_);
    if (n < 0) return false;
    if (n == 0) {
      state_ = State::kEnd;
      return false;
    }
    sent_ += static_cast<std::size_t>(n);
    deadline_ = std::min(now + limits_.write, begun_ + limits_.answer);
  }
  std::string().swap(out_);  // an assignment would keep the memory
  sent_ = 0;
  since_ = now;
  if (last_) {
    Close(now);
    return true;
  }
  state_ = State::kHead;
  deadline_ = now + (in_.empty() ? limits_.keep_alive : limits_.read);
  return true;
}

void Connection::Close(double now) {
  if (ssl_ != nullptr) {
    ::SSL_shutdown(ssl_.get());
    ::ERR_clear_error();
  }
  ::shutdown(fd_, SHUT_WR);
  deadline_ = now + kLingerSeconds;
  state_ = State::kLinger;
}

bool Connection::Linger() {
  std::array<char, kReadBytes> buffer;
  for (;;) {
    const ssize_t n = ::recv(fd_, buffer.data(), buffer.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    wait_ = Wait::kRead;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
    if (n > 0) drained_ += static_cast<std::size_t>(n);
    if (n > 0 && drained_ < kLingerBytes) continue;
    state_ = State::kEnd;
    return false;
  }
}

}  // namespace rlrun
