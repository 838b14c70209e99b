#include "exporter/app/root_reader.h"

#include <algorithm>
#include <set>
#include <utility>

#include "exporter/discovery/path_glob.h"
#include "exporter/discovery/source_kind.h"

namespace rlrun {
namespace {

// News that wait for Tick are held below about this size; the reader pauses
// until they are taken.
constexpr std::size_t kMaxPendingUpdates = 20000;
constexpr std::size_t kMaxPendingPairs = 500000;
constexpr std::size_t kSlice = 512u << 10;  // bytes
// Entries that come and go ask for a listing, but not more often than this.
constexpr double kHintedListingGap = 1;

std::size_t Pairs(const FileUpdate& update) {
  std::size_t n = 0;
  for (const StepRecord& r : update.facts.steps) n += r.pairs.size() + 8;
  return n;
}

}  // namespace

RootReader::RootReader(RootOptions root, ReaderOptions options,
                       FileSource* source)
    : root_(std::move(root)), options_(options), source_(source) {}

double RootReader::Pass(Now now) {
  TakeOptions();
  if (now.steady >= next_listing_) List(now);
  // Files that keep up go first: what is new in them is little, and whoever
  // looks at them waits for it. Then those that had no turn yet. Then the
  // backlogs, beginning behind the one that had the last turn, since there may
  // not be room for all of them.
  std::vector<FollowedFile*> fresh;
  std::vector<FollowedFile*> backlogs;
  std::ptrdiff_t before = 0;
  std::size_t open = 0;
  double next = next_listing_;
  bool room = true;
  const auto visit = [&](FollowedFile* file) {
    room = room && Visit(*file, now, &open, &next);
    return room;
  };
  for (auto& [path, file] : files_) {
    if (file->behind()) {
      if (path <= last_backlog_) ++before;
      backlogs.push_back(file.get());
    } else if (file->next_turn == 0 && !file->caught_up()) {
      fresh.push_back(file.get());
    } else if (!visit(file.get())) {
      break;
    }
  }
  std::rotate(backlogs.begin(), backlogs.begin() + before, backlogs.end());
  // What a launcher printed names the logs beside it.
  std::stable_partition(fresh.begin(), fresh.end(), [](const FollowedFile* f) {
    return IsLaunchName(f->path());
  });
  for (FollowedFile* file : fresh) visit(file);
  for (FollowedFile* file : backlogs) {
    if (visit(file)) last_backlog_ = file->path();
  }
  if (SplitChains(now)) room = false;
  const bool more = !down_since_ && AddOlderStates();
  if (more) Follow(now);
  CountFiles();
  return room && !more ? std::max(0.0, next - now.steady) : 0;
}

// False: there is no room for its news, it had no turn.
bool RootReader::Visit(FollowedFile& file, Now now, std::size_t* open,
                       double* next) {
  if (Full()) return false;
  if (now.steady >= file.next_turn) {
    // In slices, so that little waits beyond what is too much.
    std::size_t left = options_.tail.bytes_per_turn;
    bool more = true;
    while (more && left > 0 && !Full()) {
      const std::size_t slice = std::min(left, kSlice);
      left -= slice;
      more = file.Turn(source_, now, slice, &pass_updates_);
      const std::scoped_lock lock(mutex_);
      for (FileUpdate& u : pass_updates_) {
        pending_pairs_ += Pairs(u);
        news_.updates.push_back(std::move(u));
      }
      pass_updates_.clear();
    }
  }
  if (file.caught_up() && !file.behind() && IsQuiet(file.path())) {
    file.next_turn =
        std::max(file.next_turn, now.steady + options_.tail.idle_interval);
  }
  if (file.open() && ++*open > options_.tail.max_open_files) file.Close();
  *next = std::min(*next, file.next_turn);
  return true;
}

void RootReader::List(Now now) {
  last_listing_ = now.steady;
  listing_ = Walk(source_, root_);
  if (!listing_.root.ok() && listing_.root.code != IoCode::kNotFound) {
    // Something is wrong with the root itself; what it holds is unknown.
    listing_.logs.clear();
    listing_.older_states.clear();
  }
  network_ = listing_.root.ok() && source_.IsNetwork(root_.path);
  next_listing_ =
      now.steady + options_.tail.directory_interval *
                       (network_ ? options_.tail.network_factor : 1);
  const std::uint64_t device = listing_.root_stat.id.device;
  const bool other_device = listing_.root.ok() && device_ && *device_ != device;
  const bool emptied =
      listing_.root.ok() && listing_.logs.empty() && !files_.empty();
  // A pipe, a socket, a device.
  const bool odd = listing_.root.ok() &&
                   listing_.root_stat.kind != FileKind::kDirectory &&
                   listing_.root_stat.kind != FileKind::kRegular;
  const bool good = listing_.root.ok() && !other_device && !emptied && !odd;
  {
    const std::scoped_lock lock(mutex_);
    news_.status.listed = true;
    news_.status.up = good;
    news_.status.error = good           ? ""
                         : odd          ? "it is neither a file nor a directory"
                         : other_device ? "its device changed"
                         : emptied      ? "it turned empty at once"
                                        : listing_.root.Message();
    directories_ = listing_.directories;
    if (good) news_.status.stores = listing_.stores;
  }
  if (good) {
    down_since_.reset();
  } else {
    if (!down_since_) down_since_ = now.steady;
    if (now.steady - *down_since_ < options_.store.vanish_grace) return;
    // The grace is over: what is not there is gone.
    for (auto& [path, file] : files_) {
      file->absent_since = now.steady - FollowedFile::kAbsence;
    }
  }
  if (listing_.root.ok()) device_ = device;
  LeaveOtherTargets();
  AddOlderStates();
  Follow(now);
  if (options_.age_limits) NoteAbsence(now);
}

// Where the newest state of a run is not whole, the one before it is read.
// True: the listing has got some more.
bool RootReader::AddOlderStates() {
  bool added = false;
  for (auto& [newest, older] : listing_.older_states) {
    std::string_view path = newest;
    for (const std::string& next : older) {
      const auto it = files_.find(std::string(path));
      if (it == files_.end() || !it->second->not_whole()) break;
      path = next;
      auto& logs = listing_.logs;
      const auto at = std::lower_bound(logs.begin(), logs.end(), next);
      if (at != logs.end() && *at == next) continue;
      logs.insert(at, next);
      --listing_.side_files;
      added = true;
    }
  }
  return added;
}

void RootReader::CountFiles() {
  std::array<std::size_t, kFileOutcomes> counts{};
  const auto at = [&counts](FileOutcome o) -> std::size_t& {
    return counts[static_cast<std::size_t>(o)];
  };
  bool caught_up = true;
  for (const auto& [path, file] : files_) {
    at(!file->readable()    ? FileOutcome::kUnreadable
       : file->is_run()     ? FileOutcome::kRun
       : IsLaunchName(path) ? FileOutcome::kSideFile
                            : FileOutcome::kNotALog) +=
        file->chain() == nullptr ? 1 : file->chain()->paths().size();
    caught_up = caught_up &&
                (file->caught_up() || file->not_whole() || !file->readable());
  }
  at(FileOutcome::kSideFile) += listing_.side_files;
  at(FileOutcome::kCapped) = listing_.capped;
  at(FileOutcome::kTooOld) = too_old_;
  at(FileOutcome::kUnreadable) += unreadable_ + listing_.unreadable.size();
  const std::scoped_lock lock(mutex_);
  news_.status.files = counts;
  news_.status.caught_up = caught_up;
}

bool RootReader::Full() const {
  const std::scoped_lock lock(mutex_);
  return news_.updates.size() > kMaxPendingUpdates ||
         pending_pairs_ > kMaxPendingPairs;
}

bool RootReader::HasNews() const {
  const std::scoped_lock lock(mutex_);
  return !news_.updates.empty() || news_.status != taken_status_;
}

RootNews RootReader::Take() {
  const std::scoped_lock lock(mutex_);
  RootNews out;
  out.updates = std::exchange(news_.updates, {});
  out.status = taken_status_ = news_.status;
  pending_pairs_ = 0;
  return out;
}

std::vector<std::string> RootReader::directories() const {
  const std::scoped_lock lock(mutex_);
  return directories_;
}

void RootReader::WakeListing() {
  next_listing_ = std::min(next_listing_, last_listing_ + kHintedListingGap);
}

void RootReader::Wake(const std::vector<std::string>* directories) {
  for (auto& [path, file] : files_) {
    if ((directories == nullptr ||
         std::binary_search(directories->begin(), directories->end(),
                            ParentOf(file->text_path()))) &&
        !IsQuiet(path)) {
      file->next_turn = 0;
    }
  }
}

void RootReader::SetOptions(const ReaderOptions& options) {
  const std::scoped_lock lock(mutex_);
  new_options_ = options;
}

void RootReader::SetQuiet(std::set<std::string> paths) {
  const std::scoped_lock lock(mutex_);
  quiet_ = std::move(paths);
}

bool RootReader::IsQuiet(const std::string& path) const {
  const std::scoped_lock lock(mutex_);
  return quiet_.contains(path);
}

void RootReader::TakeOptions() {
  const std::scoped_lock lock(mutex_);
  if (!new_options_) return;
  options_ = *std::exchange(new_options_, std::nullopt);
  for (auto& [path, file] : files_) file->SetOptions(options_.tail);
}

}  // namespace rlrun
