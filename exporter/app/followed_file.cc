#include "exporter/app/followed_file.h"

#include <algorithm>
#include <span>
#include <utility>

#include "exporter/discovery/source_kind.h"

namespace rlrun {
namespace {

std::optional<ByteKind> ByteKindOf(std::string_view path) {
  if (IsWandbFile(path)) return ByteKind::kWandbFile;
  if (IsEventFile(path)) return ByteKind::kEventFile;
  return std::nullopt;
}

}  // namespace

class FollowedFile::Sink : public TailSink {
 public:
  explicit Sink(FollowedFile* file) : file_(file) {}
  void Text(std::uint64_t, std::string_view bytes) override {
    file_->Consume(bytes);
  }
  void Restart(RestartReason) override { file_->Restart(); }

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
      splitter_(options.max_line_bytes),
      byte_kind_(ByteKindOf(path_)) {}

bool FollowedFile::Turn(FileSource& source, Now now, std::size_t budget,
                        std::vector<FileUpdate>* out) {
  if (!network_known_) {
    network_known_ = true;
    if (source.IsNetwork(path_)) slower_ = options_.network_factor;
  }
  out_ = out;
  now_ = now;
  live_ = was_caught_up_;
  const TailState before = tailer_.state();
  Sink sink(this);
  const TailOutcome outcome = tailer_.Poll(source, now.steady, budget, &sink);
  const TailState& state = tailer_.state();
  readable_ = state.readable;
  const bool more = behind_ = outcome == TailOutcome::kMore;
  const bool caught_up = state.readable && !more;
  const bool news =
      state.bytes_read_total != before.bytes_read_total ||
      state.bytes_lost != before.bytes_lost ||
      state.mtime_ns != before.mtime_ns || state.readable != before.readable ||
      state.bytes_behind != before.bytes_behind || caught_up != was_caught_up_;
  was_caught_up_ = was_caught_up_ || caught_up;
  if (news) out->push_back(TakeUpdate(now));
  const double idle = now.steady - state.last_growth;
  next_turn = more ? now.steady
                   : now.steady + slower_ * std::clamp(idle / 20,
                                                       options_.active_interval,
                                                       options_.idle_interval);
  return more;
}

void FollowedFile::Consume(std::string_view bytes) {
  if (byte_kind_) {
    if (byte_format_ == nullptr) byte_format_ = MakeByteFormat(*byte_kind_);
    byte_format_->Feed(bytes, &facts_);
    complete_end_ = byte_format_->complete_end();
    return;
  }
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
    if (format_name_ == "auto") kind = SniffFormat(first->text);
    jsonl_ = kind == FormatKind::kVerlJsonl;
    format_ = MakeLogFormat(kind);
  }
  format_->ParseLines(lines, &facts_);
}

void FollowedFile::Restart() {
  // What was parsed so far belongs to the old text.
  out_->push_back(TakeUpdate(now_));
  splitter_.Reset();
  complete_end_ = 0;
  format_.reset();  // the new text may have another one
  byte_format_.reset();
  new_text_ = true;
}

FileUpdate FollowedFile::TakeUpdate(Now now) {
  if (format_ != nullptr) format_->Finish(&facts_);
  if (byte_format_ != nullptr) byte_format_->Finish(&facts_);
  FileUpdate update;
  update.path = path_;
  update.canonical_path = canonical_path_;
  const std::uint64_t too_long = splitter_.too_long_lines();
  facts_.lines[static_cast<std::size_t>(LineOutcome::kTooLong)] +=
      too_long - std::exchange(too_long_, too_long);
  update.facts = std::exchange(facts_, {});
  evidence_.Note(update.facts);
  update.new_text = std::exchange(new_text_, false);
  update.live = live_;
  update.arrival = now.wall;
  update.jsonl = jsonl_;
  const TailState& state = tailer_.state();
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
  return update;
}

}  // namespace rlrun
