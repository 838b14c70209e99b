#include "exporter/app/file_chain.h"

#include <algorithm>
#include <utility>

namespace rlrun {
namespace {

// Clocks of two hosts may differ by this much, seconds.
constexpr double kSlack = 1;

}  // namespace

struct FileChain::Member {
  Member(std::string path, ByteKind kind, const TailOptions& options)
      : tailer(std::move(path), options), format(MakeByteFormat(kind)) {}

  // Takes times from what its bytes have said.
  void NoteTimes(const LogFacts& news) {
    if (!begin) begin = news.start_time;
    for (const StepRecord& record : news.steps) {
      has_steps = true;
      if (!record.time) continue;
      if (!begin) begin = record.time;
      last = std::max(last, record.time);
    }
  }

  Tailer tailer;
  FileId id;  // as it was listed
  std::unique_ptr<ByteFormat> format;
  LogFacts facts;               // of a file that is not the current one
  std::optional<double> begin;  // Unix seconds
  std::optional<double> last;   // newest step, Unix seconds
  bool has_steps = false;
  std::optional<double> damaged_since;  // steady seconds
  std::uint64_t damaged_at = 0;         // offset in the file
};

class FileChain::Sink : public TailSink {
 public:
  Sink(Member* member, ByteKind kind, LogFacts* facts,
       const FileChain::Restart& restart)
      : member_(*member), kind_(kind), facts_(facts), restart_(restart) {}
  std::size_t Text(std::uint64_t, std::string_view bytes) override {
    return member_.format->Feed(bytes, facts_);
  }
  void Restart(RestartReason) override {
    member_.format->Finish(facts_);
    restart_(false);
    member_.format = MakeByteFormat(kind_);
    member_.begin.reset();
    member_.last.reset();
  }

 private:
  Member& member_;
  const ByteKind kind_;
  LogFacts* facts_;
  const FileChain::Restart& restart_;
};

FileChain::FileChain(std::string path, ByteKind kind,
                     const TailOptions& options)
    : kind_(kind), options_(options) {
  members_.push_back(
      std::make_unique<Member>(std::move(path), kind_, options_));
}

FileChain::~FileChain() = default;

void FileChain::Add(std::string path, const FileId& id) {
  members_.push_back(
      std::make_unique<Member>(std::move(path), kind_, options_));
  members_.back()->id = id;
}

TailOutcome FileChain::Poll(Member& member, FileSource& source, Now now,
                            std::size_t* budget, LogFacts* facts,
                            const Restart& restart) {
  Sink sink(&member, kind_, facts, restart);
  TailOutcome outcome = TailOutcome::kIdle;
  const TailState& state = member.tailer.state();
  const std::uint64_t before = state.bytes_read_total;
  bool again = true;
  while (again) {
    const std::uint64_t read = state.bytes_read_total;
    outcome = member.tailer.Poll(source, now.steady, *budget, &sink);
    *budget -= std::min<std::size_t>(*budget, state.bytes_read_total - read);
    again = StaysDamaged(member, now);
    if (again && *budget == 0) {
      outcome = TailOutcome::kMore;
      again = false;
    }
  }
  if (state.bytes_read_total != before) member.format->Finish(facts);
  member.NoteTimes(*facts);
  return outcome;
}

// A damaged place that was there too long, or that nobody writes to any more,
// is given up.
bool FileChain::StaysDamaged(Member& member, Now now) const {
  const TailState& state = member.tailer.state();
  if (!member.format->damaged()) {
    member.damaged_since.reset();
    return false;
  }
  if (!member.damaged_since || member.damaged_at != state.offset) {
    member.damaged_at = state.offset;
    member.damaged_since = now.steady;
  }
  const double written = static_cast<double>(state.mtime_ns) * 1e-9;
  const double wait = options_.damage_wait;
  if (now.steady - *member.damaged_since < wait && now.wall - written < wait &&
      state.size - state.offset < kWrittenBehind) {
    return false;
  }
  member.format->PassDamage();
  return true;
}

// The first later file that has shown a step; 0: none.
std::size_t FileChain::FindNext(FileSource& source, Now now,
                                std::size_t* budget) {
  for (std::size_t i = current_ + 1; i < members_.size(); ++i) {
    Member& member = *members_[i];
    if (!member.has_steps && *budget != 0) {
      Poll(member, source, now, budget, &member.facts, [&member](bool) {
        member.facts = {};
        member.has_steps = false;
      });
      member.tailer.Close();
    }
    if (member.has_steps) return i;
  }
  return 0;
}

void FileChain::GoTo(std::size_t next, LogFacts* facts,
                     const Restart& restart) {
  Member& old = current();
  Member& now = *members_[next];
  if (old.last && now.begin && *now.begin < *old.last - kSlack) {
    apart_ = now.tailer.path();
    return;
  }
  restart(true);
  old.tailer.Close();
  old.facts = {};
  current_ = next;
  *facts = std::exchange(now.facts, {});
}

// What comes in a file that was left. Steps: it is no older one.
void FileChain::WatchLeft(FileSource& source, Now now, std::size_t* budget,
                          LogFacts* facts) {
  for (std::size_t i = current_ - std::min(current_, kWatched); i < current_;
       ++i) {
    Member& left = *members_[i];
    left.has_steps = false;
    bool anew = false;
    Poll(left, source, now, budget, &left.facts,
         [&anew](bool) { anew = true; });
    left.tailer.Close();
    const LogFacts late = std::exchange(left.facts, {});
    for (std::size_t k = 0; k < kLineOutcomes; ++k) {
      facts->lines[k] += late.lines[k];
    }
    if (left.has_steps && !anew) apart_ = current().tailer.path();
  }
}

TailOutcome FileChain::Turn(FileSource& source, Now now, std::size_t budget,
                            LogFacts* facts, const Restart& restart) {
  TailOutcome outcome = TailOutcome::kIdle;
  while (apart_.empty()) {
    // The current file is asked behind the next one: nothing is missed then.
    const std::size_t next =
        outcome == TailOutcome::kMore ? 0 : FindNext(source, now, &budget);
    outcome = Poll(current(), source, now, &budget, facts, restart);
    if (outcome == TailOutcome::kMore || next == 0) break;
    GoTo(next, facts, restart);
    if (budget == 0) return TailOutcome::kMore;
  }
  if (apart_.empty() && outcome != TailOutcome::kMore) {
    WatchLeft(source, now, &budget, facts);
  }
  return outcome;
}

void FileChain::Finish(LogFacts* facts) { current().format->Finish(facts); }

TailState FileChain::state() const {
  TailState state = current().tailer.state();
  for (std::size_t i = 0; i < current_; ++i) {
    const TailState& left = members_[i]->tailer.state();
    state.bytes_read_total += left.bytes_read_total;
    state.bytes_lost += left.bytes_lost + left.bytes_behind;
    state.rotations += left.rotations;
    state.truncations += left.truncations;
    state.replacements += left.replacements;
  }
  return state;
}

std::uint64_t FileChain::complete_end() const {
  return current().format->complete_end();
}

const std::string& FileChain::path() const { return current().tailer.path(); }

bool FileChain::open() const { return current().tailer.open(); }

void FileChain::Close() { current().tailer.Close(); }

std::vector<std::string> FileChain::paths() const {
  std::vector<std::string> paths;
  for (const auto& member : members_) paths.push_back(member->tailer.path());
  return paths;
}

std::vector<FileId> FileChain::ids() const {
  std::vector<FileId> ids;
  for (const auto& member : members_) {
    ids.push_back(member->tailer.state().known ? member->tailer.state().id
                                               : member->id);
  }
  return ids;
}

}  // namespace rlrun
