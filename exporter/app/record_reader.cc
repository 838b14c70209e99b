#include "exporter/app/record_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace rlrun {

void RecordReader::SetStores(std::vector<std::string> directories) {
  const std::scoped_lock lock(mutex_);
  new_stores_ = std::move(directories);
  news_.complete = false;
}

void RecordReader::SetOptions(const RecordOptions& options) {
  const std::scoped_lock lock(mutex_);
  new_options_ = options;
}

void RecordReader::TakeOrders() {
  std::optional<std::vector<std::string>> stores;
  {
    const std::scoped_lock lock(mutex_);
    stores = std::exchange(new_stores_, std::nullopt);
    if (const auto options = std::exchange(new_options_, std::nullopt)) {
      options_ = *options;
      for (auto& [directory, store] : stores_) store->SetOptions(options_);
    }
  }
  if (stores) wanted_ = *std::move(stores);
  for (const std::string& directory : wanted_) {
    std::unique_ptr<RecordStore>& store = stores_[directory];
    if (store == nullptr) {
      store = std::make_unique<RecordStore>(directory, options_, &source_);
    }
  }
  std::erase_if(stores_, [this](const auto& item) {
    return item.second->runs() == 0 && std::find(wanted_.begin(), wanted_.end(),
                                                 item.first) == wanted_.end();
  });
}

double RecordReader::Pass(Now now, const std::function<bool()>& go_on) {
  TakeOrders();
  double wait = std::numeric_limits<double>::infinity();
  for (auto& [directory, store] : stores_) {
    wait = std::min(wait, store->Pass(now.steady, now.wall, go_on));
  }
  Publish(now);
  return wait;
}

FileUpdate RecordReader::UpdateOf(RecordNews news, Now now) {
  FileUpdate update;
  update.path = news.path;
  update.is_record = true;
  if (news.removed) {
    canonical_.erase(news.path);
    update.removed = true;
    return update;
  }
  std::string& canonical = canonical_[news.path];
  if (canonical.empty()) canonical = source_.Canonical(news.path);
  update.canonical_path = canonical;
  update.record = std::move(news.run);
  update.facts.steps = std::move(news.steps);
  for (const StepRecord& step : update.facts.steps) {
    if (step.dialect == KeyDialect::kSlimeSft ||
        step.dialect == KeyDialect::kTrlSft) {
      update.facts.mode = RunMode::kSft;
    }
  }
  update.arrival = now.wall;
  FileProgress& p = update.progress;
  if (news.lives_until > 0) p.modified_time = news.lives_until;
  p.id = news.stat.id;
  p.readable = news.up;
  p.error = std::move(news.error);
  p.caught_up = true;
  return update;
}

void RecordReader::Publish(Now now) {
  std::vector<FileUpdate> updates;
  News status;
  status.complete = true;
  for (auto& [directory, store] : stores_) {
    for (RecordNews& news : store->Take()) {
      updates.push_back(UpdateOf(std::move(news), now));
    }
    status.complete = status.complete && store->complete();
    status.runs += store->runs();
    status.unreadable += store->unreadable();
    status.too_old += store->too_old();
    status.capped += store->capped();
  }
  const std::scoped_lock lock(mutex_);
  status.complete = status.complete && !new_stores_;
  status.updates = std::move(news_.updates);
  status.updates.insert(status.updates.end(),
                        std::make_move_iterator(updates.begin()),
                        std::make_move_iterator(updates.end()));
  news_ = std::move(status);
}

bool RecordReader::HasNews() const {
  const std::scoped_lock lock(mutex_);
  return !news_.updates.empty() || news_.complete != told_complete_;
}

RecordReader::News RecordReader::Take() {
  const std::scoped_lock lock(mutex_);
  told_complete_ = news_.complete;
  News out = news_;
  news_.updates.clear();
  return out;
}

}  // namespace rlrun
