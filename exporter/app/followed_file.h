// One log being followed: tailer -> line splitter -> format, and the facts that
// wait to be taken. What W&B and TensorBoard keep has no lines and may go on in
// later files: file_chain.h. Of a document that its writer replaces, what is
// new is a fact.
// Belongs to one reader thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exporter/app/file_chain.h"
#include "exporter/app/now.h"
#include "exporter/app/run_evidence.h"
#include "exporter/discovery/options.h"
#include "exporter/store/prefetch.h"
#include "exporter/store/recorded_run.h"
#include "exporter/tail/document.h"
#include "exporter/tail/tailer.h"
#include "parsers/formats/log_format.h"
#include "parsers/lines/line_splitter.h"
#include "parsers/model/log_facts.h"

namespace rlrun {

// How far a file was read, after a turn.
struct FileProgress {
  std::uint64_t bytes_read = 0;  // ever, by this process
  std::uint64_t bytes_behind = 0;
  std::uint64_t bytes_lost = 0;  // known to have been there, never read
  std::uint64_t rotations = 0;
  std::uint64_t truncations = 0;
  // Offset behind the last complete line of the current text.
  std::uint64_t complete_end = 0;
  std::optional<double> modified_time;  // mtime, Unix seconds
  FileId id;
  bool readable = false;
  std::string error;       // why it is not readable; empty: it is, or is gone
  bool caught_up = false;  // was read to its end once
};

// What one turn, or the part of a turn that reads one text, brought.
struct FileUpdate {
  std::string path;
  std::string canonical_path;  // without symbolic links; names the run
  std::string text_path;       // of the text: a later file of the same source
  LogFacts facts;
  // The facts do not continue the text before them: truncated or replaced.
  bool new_text = false;
  // The new text is a later file of the same run: its steps go on, or back.
  bool goes_on = false;
  // The lines arrived while the file was being followed at its end; their
  // arrival is their time.
  bool live = false;
  double arrival = 0;  // Unix seconds
  FileProgress progress;
  bool jsonl = false;
  // Of a record: what is known of the run now; null: as before. `is_record`
  // tells a record from a file that is followed.
  std::shared_ptr<const RecordedRun> record;
  bool is_record = false;
  bool removed = false;  // the file is gone for good; nothing else is set

  // Asks for its memory; stages 0 to 2, each a while after the one before.
  void Prefetch(std::size_t stage) const {
    if (stage == 0) {
      PrefetchBytes(this, sizeof *this);
    } else if (stage == 1) {
      PrefetchTail(facts.steps, 2);
    } else if (!facts.steps.empty()) {
      const StepRecord& step = facts.steps.back();
      PrefetchTail(step.pairs, step.pairs.size());
      PrefetchBytes(step.key_text.data(), step.key_text.size());
    }
  }
};

class FollowedFile {
 public:
  FollowedFile(std::string path, std::string canonical_path,
               const RootOptions& root, const TailOptions& options);

  const std::string& path() const { return path_; }
  const std::string& canonical_path() const { return canonical_path_; }
  // Of the text that is read now.
  const std::string& text_path() const {
    return chain_ ? chain_->path() : path_;
  }
  // Reads up to `budget` bytes. Appends what that brought to *out, if it
  // brought anything. Returns true if more is waiting to be read.
  bool Turn(FileSource& source, Now now, std::size_t budget,
            std::vector<FileUpdate>* out);
  // More was waiting when the last turn ended.
  bool behind() const { return behind_; }

  // Steady seconds at which the next turn is due.
  double next_turn = 0;
  // A file is gone when two listings this many seconds apart lack it.
  static constexpr double kAbsence = 60;
  // Steady seconds since when listings lack the file; absent: they do not.
  std::optional<double> absent_since;
  // Of the file that has the canonical path; another one has to be asked where
  // it lies.
  FileId named_id;
  // It is a source of a run (run_evidence.h).
  bool is_run() const { return evidence_.is_run(); }
  bool readable() const { return readable_; }
  bool caught_up() const { return was_caught_up_; }
  // A document that was looked at and never was whole: half written, empty or
  // something else. It may turn whole; nobody waits for that.
  bool not_whole() const { return not_whole_; }
  bool open() const { return chain_ ? chain_->open() : tailer_.open(); }
  FileId id() const { return document_ ? document_->stat().id : tail().id; }
  void Close() { chain_ ? chain_->Close() : tailer_.Close(); }
  // Files that it goes on in; null: it has no such.
  FileChain* chain() { return chain_ ? &*chain_ : nullptr; }
  // Intervals and budgets; what was already built keeps its limits.
  void SetOptions(const TailOptions& options) { options_ = options; }

 private:
  class Sink;
  void Consume(std::string_view bytes);
  std::span<const Line> Decide(std::span<const Line> lines);
  void ParseLines(std::span<const Line> lines);
  void Restart(bool goes_on);
  bool DocumentTurn(FileSource& source);
  bool TakeDocument(std::string_view text);
  FileUpdate TakeUpdate(Now now);
  TailState tail() const { return chain_ ? chain_->state() : tailer_.state(); }
  TailOutcome Read(FileSource& source, std::size_t budget);

  std::string path_;
  std::string canonical_path_;
  std::string format_name_;
  TailOptions options_;
  bool network_known_ = false;
  double slower_ = 1;  // network_factor on a network file system
  Tailer tailer_;
  LineSplitter splitter_;
  // Of a file that is replaced as a whole; then nothing is tailed.
  std::optional<Document> document_;
  std::uint64_t document_bytes_ = 0;  // read, ever
  std::vector<std::size_t> given_;    // hashes of the records given out
  std::unique_ptr<LogFormat> format_;
  std::optional<FileChain> chain_;  // it has no lines
  bool decided_ = false;            // whose console it is
  std::size_t undecided_lines_ = 0;
  LogFacts facts_;
  std::uint64_t complete_end_ = 0;
  std::uint64_t too_long_ = 0;  // counted in facts so far
  RunEvidence evidence_;
  bool readable_ = true;
  bool jsonl_ = false;
  bool new_text_ = false;
  bool goes_on_ = false;
  bool was_caught_up_ = false;
  bool not_whole_ = false;
  bool behind_ = false;
  bool live_ = false;
  std::vector<FileUpdate>* out_ = nullptr;
  Now now_;
};

}  // namespace rlrun
