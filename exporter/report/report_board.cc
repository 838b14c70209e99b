#include "exporter/report/report_board.h"

#include <utility>

namespace rlrun {

bool ReportBoard::Fresh() const {
  return set_ != nullptr && Clock::now() - at_ < std::chrono::seconds(1);
}

std::shared_ptr<const ReportSet> ReportBoard::Get(
    std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  if (Fresh()) return set_;
  wanted_ = true;
  if (wake_) {
    lock.unlock();
    wake_();
    lock.lock();
  }
  published_.wait_for(lock, most, [this] { return Fresh(); });
  return set_;
}

bool ReportBoard::wanted() const {
  const std::scoped_lock lock(mutex_);
  return wanted_;
}

void ReportBoard::Publish(std::shared_ptr<const ReportSet> set) {
  {
    const std::scoped_lock lock(mutex_);
    set_ = std::move(set);
    at_ = Clock::now();
    wanted_ = false;
  }
  published_.notify_all();
}

}  // namespace rlrun
