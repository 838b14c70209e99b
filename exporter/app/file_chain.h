// Files of W&B or TensorBoard that continue each other (chain_place.h), read
// one after the other as one source: tailer -> format. A later file is looked
// into before the current one is read to its end; it is gone over to when it
// has shown a step and the current one has nothing more, so that files without
// values (every worker may open one) displace nothing. What looks damaged is
// looked at again for a while (TailOptions::damage_wait). Two files that are
// written at the same time do not continue each other: that is told, and the
// caller reads them apart.
// Belongs to one reader thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exporter/app/now.h"
#include "exporter/tail/tailer.h"
#include "parsers/formats/byte_format.h"
#include "parsers/model/log_facts.h"

namespace rlrun {

class FileChain {
 public:
  FileChain(std::string path, ByteKind kind, const TailOptions& options);
  ~FileChain();

  // A file that may continue those that are known; `id` as it was listed.
  void Add(std::string path, const FileId& id);

  // Another text begins: what was said must be taken, and the facts empty, when
  // it returns. `goes_on`: it is the next file.
  using Restart = std::function<void(bool goes_on)>;
  // Reads up to `budget` bytes and appends what they say to *facts.
  TailOutcome Turn(FileSource& source, Now now, std::size_t budget,
                   LogFacts* facts, const Restart& restart);
  // What is still open in the current file goes to *facts.
  void Finish(LogFacts* facts);

  // Of the current file; what is counted, of all of them.
  TailState state() const;
  std::uint64_t complete_end() const;
  const std::string& path() const;
  bool open() const;
  void Close();

  // All files in their order, and their numbers.
  std::vector<std::string> paths() const;
  std::vector<FileId> ids() const;

  // A file that was written while another one was: nothing is read any more.
  // Empty: there is none.
  const std::string& apart() const { return apart_; }

 private:
  struct Member;
  class Sink;

  // Left files that are looked at for steps that still come.
  static constexpr std::size_t kWatched = 4;
  // So many bytes behind what is damaged were written later: it stays so.
  static constexpr std::uint64_t kWrittenBehind = std::uint64_t{1} << 20;

  Member& current() const { return *members_[current_]; }
  TailOutcome Poll(Member& member, FileSource& source, Now now,
                   std::size_t* budget, LogFacts* facts,
                   const Restart& restart);
  bool StaysDamaged(Member& member, Now now) const;
  std::size_t FindNext(FileSource& source, Now now, std::size_t* budget);
  void GoTo(std::size_t next, LogFacts* facts, const Restart& restart);
  void WatchLeft(FileSource& source, Now now, std::size_t* budget,
                 LogFacts* facts);

  const ByteKind kind_;
  const TailOptions options_;
  std::vector<std::unique_ptr<Member>> members_;  // in their order
  std::size_t current_ = 0;
  std::string apart_;
};

}  // namespace rlrun
