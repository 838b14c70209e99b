#include "exporter/web/http_listener.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <system_error>
#include <utility>

namespace rlrun {
namespace {

constexpr std::uint64_t kListenId = 0, kWakeId = 1;
// A machine that is out of something is not asked at once again.
constexpr double kAcceptPause = 0.1;
constexpr std::size_t kMostUnchecked = 64;  // requests
constexpr int kEvents = 64;
constexpr std::size_t kSmallAnswer = 64u << 10;
constexpr std::size_t kUnknownAnswers = 8;  // made at once
constexpr std::string_view kGoodAnswer = "HTTP/1.1 200 ";

double SteadyNow() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void Control(int epoll, int what, int fd, std::uint32_t events,
             std::uint64_t id) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  ::epoll_ctl(epoll, what, fd, &event);
}

// TLS writes to sockets that may be closed.
void BlockSigpipe() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

}  // namespace

HttpListener::HttpListener(int fd, Router* router,
                           std::shared_ptr<Access> access, HttpLimits limits)
    : fd_(fd),
      limits_(limits),
      exchanger_(router, limits),
      access_(std::move(access)) {
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  try {
    if (epoll_ < 0 || wake_ < 0) {
      throw std::system_error(errno, std::generic_category());
    }
    lane_ = std::make_unique<WorkLane>(limits.threads, limits.connections);
    slow_lane_ = std::make_unique<WorkLane>(1, kMostUnchecked);
    ::fcntl(fd_, F_SETFL, ::fcntl(fd_, F_GETFL) | O_NONBLOCK);
    Control(epoll_, EPOLL_CTL_ADD, wake_, EPOLLIN, kWakeId);
    Listen(true);
    thread_ = std::thread([this] { Serve(); });
  } catch (...) {
    if (wake_ >= 0) ::close(wake_);
    if (epoll_ >= 0) ::close(epoll_);
    throw;
  }
}

HttpListener::~HttpListener() {
  StopAccepting();
  ending_ = true;
  Wake();
  thread_.join();
  lane_.reset();
  slow_lane_.reset();
  connections_.clear();
  ::close(wake_);
  ::close(epoll_);
  ::close(fd_);
}

void HttpListener::StopAccepting() {
  stopping_ = true;
  ::shutdown(fd_, SHUT_RDWR);
  Wake();
}

void HttpListener::SetAccess(std::shared_ptr<Access> access) {
  {
    const std::scoped_lock lock(mutex_);
    next_access_ = std::move(access);
  }
  Wake();
}

void HttpListener::Wake() {
  const std::uint64_t one = 1;
  while (::write(wake_, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void HttpListener::Serve() {
  BlockSigpipe();
  std::array<epoll_event, kEvents> events;
  while (!ending_) {
    double now = SteadyNow();
    const int n = ::epoll_wait(epoll_, events.data(), kEvents, Timeout(now));
    now = SteadyNow();
    if (stopping_) Listen(false);
    for (int i = 0; i < n; ++i) {
      const std::uint64_t id = events[static_cast<std::size_t>(i)].data.u64;
      if (id == kWakeId) {
        std::uint64_t count = 0;
        while (::read(wake_, &count, sizeof count) < 0 && errno == EINTR) {
        }
      } else if (id == kListenId) {
        Accept(now);
      } else if (const auto it = connections_.find(id);
                 it != connections_.end() && !it->second->in_hand()) {
        Advance(it, now);
      }
    }
    Settle(now);
  }
}

void HttpListener::Settle(double now) {
  TakeAccess();
  TakeDone(now);
  if (now >= next_check_) DropLate(now);
  MakeAnswers(now);
  if (!listening_ && !stopping_ && now >= pause_ &&
      (!Full() || LongestWaiting() != connections_.end())) {
    Listen(true);
  }
}

int HttpListener::Timeout(double now) const {
  double until = next_check_;
  if (!listening_ && !stopping_) until = std::min(until, now + kAcceptPause);
  if (std::isinf(until)) return -1;
  return static_cast<int>(std::ceil(std::clamp(until - now, 0.0, 60.0) * 1000));
}

void HttpListener::Listen(bool on) {
  if (on == listening_) return;
  listening_ = on;
  Control(epoll_, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, fd_, EPOLLIN, kListenId);
}

void HttpListener::Accept(double now) {
  while (!stopping_) {
    if (Full() && LongestWaiting() == connections_.end()) {
      Listen(false);
      return;
    }
    const int fd =
        ::accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) return;
      // Out of descriptors or memory: one that only waits has some.
      EvictWaiting();
      pause_ = now + kAcceptPause;
      Listen(false);
      return;
    }
    if (Full()) EvictWaiting();
    const std::uint64_t id = next_id_++;
    const auto it = connections_
                        .emplace(id, std::make_unique<Connection>(fd, access_,
                                                                  limits_, now))
                        .first;
    Control(epoll_, EPOLL_CTL_ADD, fd, EPOLLONESHOT, id);
    Advance(it, now);
  }
}

HttpListener::Connections::iterator HttpListener::LongestWaiting() {
  auto longest = connections_.end();
  for (auto it = connections_.begin(); it != connections_.end(); ++it) {
    if (it->second->idle() &&
        (longest == connections_.end() ||
         it->second->idle_since() < longest->second->idle_since())) {
      longest = it;
    }
  }
  return longest;
}

void HttpListener::EvictWaiting() {
  const auto longest = LongestWaiting();
  if (longest != connections_.end()) Erase(longest);
}

std::size_t HttpListener::BytesHeld() const {
  std::size_t bytes = 0;
  for (const auto& [id, connection] : connections_) {
    bytes += connection->holds();
  }
  return bytes;
}

HttpListener::Connections::iterator HttpListener::SlowReader(double now) {
  auto slowest = connections_.end();
  double least = limits_.slow_bytes;
  for (auto it = connections_.begin(); it != connections_.end(); ++it) {
    const Connection& reader = *it->second;
    const double seconds = now - reader.begun();
    if (!reader.sending() || seconds < limits_.slow_after) continue;
    const double rate = static_cast<double>(reader.sent()) / seconds;
    if (rate < least) {
      least = rate;
      slowest = it;
    }
  }
  return slowest;
}

// While an answer is made there are two of it: the body, and what is sent. One
// is made in any case, however large.
bool HttpListener::HasRoom(std::optional<std::size_t> expected,
                           std::size_t held) const {
  if (!expected) return unknown_ < kUnknownAnswers;
  return *expected <= kSmallAnswer || held + making_ == 0 ||
         held + making_ + 2 * *expected <= limits_.answer_bytes;
}

void HttpListener::MakeAnswers(double now) {
  std::size_t held = waiting_.empty() ? 0 : BytesHeld();
  bool full = false;  // for all but what is small
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    if (connections_.find(it->id) == connections_.end()) {
      it = waiting_.erase(it);
      continue;
    }
    Exchange& exchange = *it->exchange;
    exchange.expected = sizes_.Expected(exchange.head);
    const bool small = exchange.expected && *exchange.expected <= kSmallAnswer;
    while (!small && !full && !HasRoom(exchange.expected, held)) {
      const auto slow =
          exchange.expected ? SlowReader(now) : connections_.end();
      full = slow == connections_.end();
      if (full) break;
      held -= slow->second->holds();
      Erase(slow);
    }
    if (full && !small) {
      ++it;
      continue;
    }
    Count(exchange.expected, true);
    Done next = std::move(*it);
    it = waiting_.erase(it);
    Work(next.id, std::move(next.exchange));
  }
  if (full) next_check_ = std::min(next_check_, now + limits_.slow_after);
  flooded_ = flooded_ || full;
  GiveMemoryBack();
}

void HttpListener::Count(std::optional<std::size_t> expected, bool begins) {
  std::size_t& of = expected ? making_ : unknown_;
  const std::size_t by = expected ? 2 * *expected : 1;
  of = begins ? of + by : of - by;
}

void HttpListener::GiveMemoryBack() {
  if (!flooded_ || !waiting_.empty() || making_ > 0 || BytesHeld() > 0) return;
  flooded_ = false;
  ::malloc_trim(0);
}

void HttpListener::Erase(Connections::iterator it) {
  if (it->second->sending() || it->second->in_hand()) --in_hand_;
  connections_.erase(it);
}

void HttpListener::Advance(Connections::iterator it, double now) {
  Connection& connection = *it->second;
  const bool was_sending = connection.sending();
  const Connection::Wait wait = connection.Advance(now);
  // An answer of its own accord, to a head that is too long, counts as well.
  const bool is_counted = connection.sending() || connection.in_hand();
  if (was_sending && !is_counted) --in_hand_;
  if (!was_sending && is_counted) ++in_hand_;
  next_check_ = std::min(next_check_, connection.deadline());
  switch (wait) {
    case Connection::Wait::kEnd:
      Erase(it);
      return;
    case Connection::Wait::kAnswer:
      Hand(it->first, &connection);
      return;
    case Connection::Wait::kRead:
    case Connection::Wait::kWrite:
      // Once: one that is in hand is not to be heard of.
      Control(
          epoll_, EPOLL_CTL_MOD, connection.fd(),
          EPOLLONESHOT | (wait == Connection::Wait::kRead ? EPOLLIN : EPOLLOUT),
          it->first);
  }
}

void HttpListener::Hand(std::uint64_t id, Connection* connection) {
  auto exchange = std::make_unique<Exchange>();
  exchange->head = connection->TakeHead();
  exchange->access = connection->access();
  exchange->last = connection->requests() >= limits_.keep_alive_requests ||
                   connection->access() != access_;
  waiting_.push_back({id, std::move(exchange)});
}

// Answers on another thread, which may hand a request on to the slow lane.
void HttpListener::Work(std::uint64_t id, std::unique_ptr<Exchange> exchange) {
  const bool slow = exchange->may_check;
  // std::function wants to be copied.
  const auto shared =
      std::make_shared<std::unique_ptr<Exchange>>(std::move(exchange));
  const auto task = [this, id, shared] {
    exchanger_.Answer(shared->get(), SteadyNow());
    {
      const std::scoped_lock lock(mutex_);
      done_.push_back({id, std::move(*shared)});
    }
    Wake();
  };
  const std::optional<std::size_t> expected = (*shared)->expected;
  if ((slow ? slow_lane_ : lane_)->Push(task)) return;
  Count(expected, false);
  const auto it = connections_.find(id);
  if (it != connections_.end()) Erase(it);
}

void HttpListener::TakeDone(double now) {
  std::vector<Done> done;
  {
    const std::scoped_lock lock(mutex_);
    done.swap(done_);
  }
  for (auto& [id, exchange] : done) {
    Count(std::exchange(exchange->expected, 0), false);
    if (exchange->answer.starts_with(kGoodAnswer)) {
      sizes_.Note(exchange->head, exchange->answer.size());
    }
    const auto it = connections_.find(id);
    if (it == connections_.end()) continue;
    if (exchange->unchecked && !exchange->may_check) {
      exchange->may_check = true;
      Work(id, std::move(exchange));
      continue;
    }
    it->second->Answer(std::move(exchange->answer),
                       exchange->close || it->second->access() != access_, now);
    Advance(it, now);
  }
}

void HttpListener::TakeAccess() {
  {
    const std::scoped_lock lock(mutex_);
    if (next_access_ == nullptr) return;
    access_ = std::exchange(next_access_, nullptr);
  }
  for (auto it = connections_.begin(); it != connections_.end();) {
    const auto next = std::next(it);
    if (it->second->idle()) Erase(it);
    it = next;
  }
}

void HttpListener::DropLate(double now) {
  next_check_ = std::numeric_limits<double>::infinity();
  for (auto it = connections_.begin(); it != connections_.end();) {
    const auto next = std::next(it);
    if (it->second->deadline() <= now) {
      Erase(it);
    } else {
      next_check_ = std::min(next_check_, it->second->deadline());
    }
    it = next;
  }
}

}  // namespace rlrun
