#include "exporter/web/connection_loop.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

namespace rlrun {
namespace {

constexpr std::chrono::milliseconds kAcceptPause{100};

// Threads born in its scope take no signals: those are the main thread's.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

ConnectionLoop::ConnectionLoop(
    std::vector<int> listeners,
    std::vector<std::unique_ptr<RequestHandler>> handlers, LoopLimits limits)
    : limits_(limits),
      listeners_(std::move(listeners)),
      wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  const SignalsBlocked blocked;
  pool_ = std::make_unique<WorkerPool>(std::move(handlers), [this] { Wake(); });
}

ConnectionLoop::~ConnectionLoop() {
  Stop();
  for (const int fd : listeners_) ::close(fd);
  if (wake_fd_ >= 0) ::close(wake_fd_);
}

void ConnectionLoop::Start() {
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { Run(); });
}

void ConnectionLoop::Stop() {
  stop_ = true;
  Wake();
  if (thread_.joinable()) thread_.join();
  pool_->Stop();
}

void ConnectionLoop::Wake() {
  const std::uint64_t one = 1;
  // A full counter (EAGAIN) wakes as well as a new one.
  [[maybe_unused]] const ssize_t n = ::write(wake_fd_, &one, sizeof one);
}

void ConnectionLoop::Run() {
  std::vector<pollfd> polled;
  std::vector<std::uint64_t> ids;
  for (;;) {
    if (stop_ && BeginStop()) break;
    const int ready = Poll(&polled, &ids);
    if (ready > 0 && polled[0].revents != 0) {
      std::uint64_t count = 0;
      [[maybe_unused]] const ssize_t n = ::read(wake_fd_, &count, sizeof count);
      TakeReplies();
    }
    for (std::size_t i = 0; ready > 0 && i < ids.size(); ++i) {
      const pollfd& p = polled[polled.size() - ids.size() + i];
      if (p.revents != 0) Serve(ids[i]);
    }
    for (const int fd : listeners_) {
      const auto found =
          std::find_if(polled.begin(), polled.end(),
                       [fd](const pollfd& p) { return p.fd == fd; });
      if (found != polled.end() && found->revents != 0) Accept(fd);
    }
    Expire(Clock::now());
  }
  while (!connections_.empty()) Close(connections_.begin());
}

bool ConnectionLoop::BeginStop() {
  if (!stopping_) {
    stopping_ = true;
    stop_deadline_ = Clock::now() + limits_.stop_grace;
    for (const int fd : listeners_) ::close(fd);
    listeners_.clear();
  }
  for (auto it = connections_.begin(); it != connections_.end();) {
    const Phase phase = it->second.phase;
    it = phase == Phase::kReading || phase == Phase::kLingering ? Close(it)
                                                                : std::next(it);
  }
  return connections_.empty() || Clock::now() >= stop_deadline_;
}

int ConnectionLoop::Poll(std::vector<pollfd>* polled,
                         std::vector<std::uint64_t>* ids) {
  const Clock::time_point now = Clock::now();
  Clock::time_point until = now + std::chrono::hours(1);
  polled->assign(1, {wake_fd_, POLLIN, 0});
  ids->clear();
  if (now >= accept_from_) {
    for (const int fd : listeners_) polled->push_back({fd, POLLIN, 0});
  } else {
    until = accept_from_;
  }
  for (const auto& [id, c] : connections_) {
    // A worker has it: there is nothing to wait for but the worker.
    if (c.phase == Phase::kWorking) continue;
    const short events = c.phase == Phase::kWriting ? POLLOUT : POLLIN;
    polled->push_back({c.fd, events, 0});
    ids->push_back(id);
    until = std::min(until, c.deadline);
  }
  if (stopping_) until = std::min(until, stop_deadline_);
  const auto wait =
      std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
  return ::poll(polled->data(), polled->size(),
                static_cast<int>(std::max<decltype(wait)>(wait, 0)));
}

void ConnectionLoop::Accept(int listener) {
  for (;;) {
    const int fd =
        ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      if (errno == ECONNABORTED || errno == EINTR) continue;
      if (!WouldBlock()) {
        MakeRoom();
        accept_from_ = Clock::now() + kAcceptPause;
      }
      return;
    }
    if (connections_.size() >= limits_.max_connections && !MakeRoom()) {
      ::close(fd);
      continue;
    }
    Connection c;
    c.fd = fd;
    c.deadline = Clock::now() + limits_.request_timeout;
    connections_.emplace(next_id_++, std::move(c));
  }
}

bool ConnectionLoop::MakeRoom() {
  auto victim = connections_.end();
  for (auto it = connections_.begin(); it != connections_.end(); ++it) {
    if (it->second.phase == Phase::kWorking) continue;
    if (victim == connections_.end() ||
        it->second.deadline < victim->second.deadline) {
      victim = it;
    }
  }
  if (victim == connections_.end()) return false;
  Close(victim);
  return true;
}

void ConnectionLoop::Serve(std::uint64_t id) {
  const auto it = connections_.find(id);
  if (it == connections_.end()) return;
  Connection* c = &it->second;
  bool keep = true;
  if (c->phase == Phase::kReading) {
    keep = Read(c);
    if (keep) Dispatch(id, c);
  } else if (c->phase == Phase::kLingering) {
    keep = Linger(c);
  }
  if (keep && c->phase == Phase::kWriting) keep = Write(c);
  // The reply is gone and the next request may be here already.
  if (keep && c->phase == Phase::kReading) Dispatch(id, c);
  if (!keep) Close(it);
}

bool ConnectionLoop::Read(Connection* c) {
  char buffer[8192];
  const ssize_t n = ::recv(c->fd, buffer, sizeof buffer, 0);
  if (n < 0) return WouldBlock() || errno == EINTR;
  if (c->input.empty()) c->deadline = Clock::now() + limits_.request_timeout;
  c->input.append(buffer, static_cast<std::size_t>(n));
  return n > 0;
}

bool ConnectionLoop::Write(Connection* c) {
  while (c->sent < c->output.size()) {
    const ssize_t n = ::send(c->fd, c->output.data() + c->sent,
                             c->output.size() - c->sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return WouldBlock();
    c->sent += static_cast<std::size_t>(n);
  }
  c->output = std::string();
  c->sent = 0;
  if (stopping_) return false;
  if (!c->close) {
    c->phase = Phase::kReading;
    c->deadline = Clock::now() + limits_.request_timeout;
    return true;
  }
  // Closing while bytes of the client are unread would reset the connection,
  // and the client would lose the reply.
  c->phase = Phase::kLingering;
  c->deadline = Clock::now() + limits_.linger_timeout;
  return ::shutdown(c->fd, SHUT_WR) == 0;
}

bool ConnectionLoop::Linger(Connection* c) {
  char buffer[8192];
  const ssize_t n = ::recv(c->fd, buffer, sizeof buffer, 0);
  return n > 0 || (n < 0 && (WouldBlock() || errno == EINTR));
}

void ConnectionLoop::Dispatch(std::uint64_t id, Connection* c) {
  if (c->input.empty()) return;
  Frame frame = ParseFrame(c->input, limits_.frame);
  if (frame.status == 0) return;
  if (frame.status != 200) {
    StartReply(c, RefusalText(frame.status), true);
    return;
  }
  c->input.erase(0, frame.size);
  c->phase = Phase::kWorking;
  const bool last = ++c->requests >= limits_.max_requests;
  pool_->Submit({id, std::move(frame.head), last});
}

void ConnectionLoop::StartReply(Connection* c, std::string bytes, bool close) {
  c->output = std::move(bytes);
  c->close = close;
  c->phase = Phase::kWriting;
  c->deadline = Clock::now() + limits_.write_timeout;
}

void ConnectionLoop::TakeReplies() {
  for (WorkerPool::Done& done : pool_->TakeReplies()) {
    const auto it = connections_.find(done.connection);
    if (it == connections_.end()) continue;
    if (done.reply.bytes.empty()) {
      Close(it);
      continue;
    }
    StartReply(&it->second, std::move(done.reply.bytes), done.reply.close);
    Serve(done.connection);
    DropOldestReplies(done.connection);
  }
}

void ConnectionLoop::DropOldestReplies(std::uint64_t keep) {
  std::size_t pending = 0;
  for (const auto& [id, c] : connections_) pending += c.output.size();
  while (pending > limits_.max_pending_bytes) {
    auto oldest = connections_.end();
    for (auto it = connections_.begin(); it != connections_.end(); ++it) {
      if (it->first != keep && it->second.phase == Phase::kWriting &&
          (oldest == connections_.end() ||
           it->second.deadline < oldest->second.deadline)) {
        oldest = it;
      }
    }
    if (oldest == connections_.end()) return;
    pending -= oldest->second.output.size();
    Close(oldest);
  }
}

void ConnectionLoop::Expire(Clock::time_point now) {
  for (auto it = connections_.begin(); it != connections_.end();) {
    const bool late =
        it->second.phase != Phase::kWorking && now >= it->second.deadline;
    it = late ? Close(it) : std::next(it);
  }
}

ConnectionLoop::Connections::iterator ConnectionLoop::Close(
    Connections::iterator it) {
  ::close(it->second.fd);
  return connections_.erase(it);
}

}  // namespace rlrun
