#include "exporter/app/followed_file.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "exporter/discovery/source_kind.h"
#include "parsers/formats/trainer_state.h"

namespace rlrun {
namespace {

std::optional<ByteKind> ByteKindOf(std::string_view path) {
  if (IsWandbFile(path)) return ByteKind::kWandbFile;
  if (IsEventFile(path)) return ByteKind::kEventFile;
  return std::nullopt;
}

// Lines after which a text that nobody claims is taken for verl's.
constexpr std::size_t kMaxUndecided = std::size_t{1} << 20;
constexpr std::size_t kMaxDocument = std::size_t{64} << 20;  // bytes

std::size_t HashOf(const StepRecord& record) {
  std::size_t hash = std::hash<std::string_view>{}(record.key_text) +
                     static_cast<std::size_t>(record.step);
  for (const StepRecord::Pair& pair : record.pairs) {
    hash = hash * 31 + std::hash<double>{}(pair.value);
  }
  return hash;
}

}  // namespace

class FollowedFile::Sink : public TailSink {
 public:
  explicit Sink(FollowedFile* file) : file_(file) {}
  std::size_t Text(std::uint64_t, std::string_view bytes) override {
    file_->Consume(bytes);
    return bytes.size();
  }
  void Restart(RestartReason) override { file_->Restart(false); }

 private:
  FollowedFile* file_;
};

FollowedFile::FollowedFile(std::string path, std::string canonical_path,
                           const RootOptions& root, const TailOptions& options)
    : path_(std::move(path)),
      canonical_path_(std::move(canonical_path)),
      format_name_(root.format),
      options_(options),
      tailer_(path_, options),
      splitter_(options.max_line_bytes) {
  if (const auto kind = ByteKindOf(path_)) {
    chain_.emplace(path_, *kind, options_);
  }
  if (IsTrainerStatePath(path_)) document_.emplace(path_, kMaxDocument);
}

bool FollowedFile::Turn(FileSource& source, Now now, std::size_t budget,
                        std::vector<FileUpdate>* out) {
  if (!network_known_) {
    network_known_ = true;
    if (source.IsNetwork(path_)) slower_ = options_.network_factor;
  }
  out_ = out;
  now_ = now;
  live_ = was_caught_up_;
  if (document_) return DocumentTurn(source);
  const TailState before = tail();
  const TailOutcome outcome = Read(source, budget);
  const TailState state = tail();
  readable_ = state.readable;
  const bool more = behind_ = outcome == TailOutcome::kMore;
  const bool caught_up = state.readable && !more;
  const bool news =
      state.bytes_read_total != before.bytes_read_total ||
      state.bytes_lost != before.bytes_lost ||
      state.mtime_ns != before.mtime_ns || state.readable != before.readable ||
      state.id != before.id || state.bytes_behind != before.bytes_behind ||
      caught_up != was_caught_up_;
  was_caught_up_ = was_caught_up_ || caught_up;
  if (news) out->push_back(TakeUpdate(now));
  const double idle = now.steady - state.last_growth;
  next_turn = more ? now.steady
                   : now.steady + slower_ * std::clamp(idle / 20,
                                                       options_.active_interval,
                                                       options_.idle_interval);
  return more;
}

TailOutcome FollowedFile::Read(FileSource& source, std::size_t budget) {
  if (chain_) {
    const TailOutcome outcome =
        chain_->Turn(source, now_, budget, &facts_,
                     [this](bool goes_on) { Restart(goes_on); });
    complete_end_ = chain_->complete_end();
    return outcome;
  }
  Sink sink(this);
  return tailer_.Poll(source, now_.steady, budget, &sink);
}

// Read to its end in one turn.
bool FollowedFile::DocumentTurn(FileSource& source) {
  std::string text;
  const DocumentOutcome outcome = document_->Poll(source, now_.wall, &text);
  const bool readable = outcome == DocumentOutcome::kText ||
                        outcome == DocumentOutcome::kUnchanged;
  bool news = readable != readable_ || (readable && !was_caught_up_);
  readable_ = readable;
  if (outcome == DocumentOutcome::kText) {
    document_bytes_ += text.size();
    // Half a text is another one soon.
    if (TakeDocument(text)) {
      news = was_caught_up_ = true;
    } else {
      document_->Retry();
      news = false;
    }
  }
  not_whole_ = !was_caught_up_;
  if (news) out_->push_back(TakeUpdate(now_));
  next_turn = now_.steady + slower_ * options_.idle_interval / 2;
  return false;
}

// False: the text is not whole.
bool FollowedFile::TakeDocument(std::string_view text) {
  auto state = ParseTrainerState(text, &facts_.values_skipped);
  if (!state) return false;
  jsonl_ = true;
  std::vector<std::size_t> hashes;
  for (const StepRecord& record : state->records) {
    hashes.push_back(HashOf(record));
  }
  const bool goes_on = hashes.size() >= given_.size() &&
                       std::equal(given_.begin(), given_.end(), hashes.begin());
  if (!goes_on) {
    new_text_ = true;
    given_.clear();
  }
  for (std::size_t i = given_.size(); i < hashes.size(); ++i) {
    StepRecord& record = state->records[i];
    record.begin_offset = i + 1;  // their order is all that counts
    record.end_offset = i + 2;
    facts_.steps.push_back(std::move(record));
    ++facts_.lines[static_cast<std::size_t>(LineOutcome::kStep)];
  }
  given_ = std::move(hashes);
  facts_.total_steps = state->max_steps;
  facts_.mode = state->supervised ? RunMode::kSft : RunMode::kSync;
  if (state->ended) {
    facts_.events.end = {{given_.size() + 1, {}}, EndKind::kTrainer};
  }
  RunFacts stated;
  stated.framework = "trl";
  facts_.run_facts = std::make_shared<const RunFacts>(std::move(stated));
  return true;
}

void FollowedFile::Consume(std::string_view bytes) {
  splitter_.Feed(bytes, [this](std::span<const Line> lines) {
    complete_end_ = lines.back().end_offset;
    ParseLines(lines);
  });
  // Of a line that was too long nothing is given, but it is complete.
  if (!splitter_.has_tail()) complete_end_ = splitter_.offset();
}

void FollowedFile::ParseLines(std::span<const Line> lines) {
  if (format_ == nullptr) {
    const auto first =
        std::find_if(lines.begin(), lines.end(), [](const Line& line) {
          return line.text.find_first_not_of(" \t") != std::string_view::npos;
        });
    if (first == lines.end()) {  // blank lines decide nothing
      facts_.lines[static_cast<std::size_t>(LineOutcome::kIgnored)] +=
          lines.size();
      return;
    }
    FormatKind kind = FormatKind::kVerlConsole;
    if (format_name_ == "jsonl") kind = FormatKind::kVerlJsonl;
    if (format_name_ == "slime") kind = FormatKind::kSlimeConsole;
    if (format_name_ == "trl") kind = FormatKind::kTrlConsole;
    if (format_name_ == "auto") kind = SniffFormat(first->text);
    jsonl_ = kind == FormatKind::kVerlJsonl;
    decided_ = jsonl_ || format_name_ != "auto";
    format_ = MakeLogFormat(kind);
  }
  if (!decided_) lines = Decide(lines);
  format_->ParseLines(lines, &facts_);
}

// Nearly always the first lines tell whose console it is. Returns the lines
// that are left for its format.
std::span<const Line> FollowedFile::Decide(std::span<const Line> lines) {
  const SniffedLines sniffed = SniffConsole(lines);
  undecided_lines_ += lines.size();
  decided_ = sniffed.kind || undecided_lines_ > kMaxUndecided;
  if (!sniffed.kind || *sniffed.kind == FormatKind::kVerlConsole) return lines;
  format_->ParseLines(lines.first(sniffed.first), &facts_);
  format_->Finish(&facts_);
  format_ = MakeLogFormat(*sniffed.kind);
  return lines.subspan(sniffed.first);
}

void FollowedFile::Restart(bool goes_on) {
  // What was parsed so far belongs to the old text.
  out_->push_back(TakeUpdate(now_));
  splitter_.Reset();
  complete_end_ = 0;
  format_.reset();  // the new text may have another one
  undecided_lines_ = 0;
  new_text_ = true;
  goes_on_ = goes_on;
}

FileUpdate FollowedFile::TakeUpdate(Now now) {
  if (format_ != nullptr) format_->Finish(&facts_);
  if (chain_) chain_->Finish(&facts_);
  FileUpdate update;
  update.path = path_;
  update.canonical_path = canonical_path_;
  if (chain_) update.text_path = chain_->path();
  const std::uint64_t too_long = splitter_.too_long_lines();
  facts_.lines[static_cast<std::size_t>(LineOutcome::kTooLong)] +=
      too_long - std::exchange(too_long_, too_long);
  update.facts = std::exchange(facts_, {});
  evidence_.Note(update.facts);
  update.new_text = std::exchange(new_text_, false);
  update.goes_on = std::exchange(goes_on_, false);
  update.live = live_;
  update.arrival = now.wall;
  update.jsonl = jsonl_;
  const TailState state = tail();
  FileProgress& p = update.progress;
  p.bytes_read = state.bytes_read_total;
  p.bytes_behind = state.bytes_behind;
  p.bytes_lost = state.bytes_lost;
  // Moved away or replaced outright: another file has the path.
  p.rotations = state.rotations + state.replacements;
  p.truncations = state.truncations;
  p.complete_end = complete_end_;
  if (state.known) p.modified_time = static_cast<double>(state.mtime_ns) * 1e-9;
  p.id = state.id;
  p.readable = state.readable;
  if (!state.readable && state.status.code != IoCode::kNotFound) {
    p.error = state.status.Message();
  }
  p.caught_up = was_caught_up_;
  if (document_) {
    p.bytes_read = document_bytes_;
    if (document_->known()) p.modified_time = document_->modified_time();
    p.id = document_->stat().id;
    p.readable = readable_;
    p.error = readable_ || document_->status().code == IoCode::kNotFound
                  ? ""
                  : document_->status().Message();
  }
  return update;
}

}  // namespace rlrun
