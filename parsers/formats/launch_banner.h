// What the launcher prints before it starts a run: the banner, the environment,
// the table of the run's configuration, the command. It stands in the
// launcher's own output only (`launch_*.log`, `*.out`), not in the run's log.
//
//   === Launching Harbor verl training ===
//   project:       swe
//   === Final Environment ===
//   CRITIC_GRAD_CLIP=10
//   ═════ run configuration (train) ═════
//     batch        64 prompts × 8 resp = 512 trials/step  mini=64
//   === Launch Command ===
//   python3 -m verl.trainer.main_ppo trainer.nnodes=2
//
// Accepts: the sections in any order, each of them optional; of the environment
//   only the names of a fixed list, of the command only overrides.
// Ignores: every other name and line: nothing of them is kept. A value that is
//   not stated: `?`, `<unset>`.
// Rejects: values of another kind than their field (not counted: the table is
//   written for people).
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "parsers/model/run_facts.h"

namespace rlrun {

class LaunchBanner {
 public:
  // `payload`: a line without an actor prefix, or what stands behind one. True:
  // the line is a part of the banner, and facts() may have changed.
  bool Offer(std::string_view payload, bool has_prefix) {
    if (section_ == Section::kNone && !MayStart(payload)) return false;
    return Take(payload, has_prefix);
  }
  // Inside a section: every next line is a part of it.
  bool is_open() const { return section_ != Section::kNone; }
  // The next line does not follow the last one.
  void Reset() { *this = LaunchBanner(); }

  // What the newest banner has stated so far; the table and banner win over the
  // environment, all of them over the command.
  RunFacts facts() const;

 private:
  enum class Section : std::uint8_t {
    kNone,
    kHead,
    kEnvironment,
    kTable,
    kCommand
  };

  static bool MayStart(std::string_view payload) {
    return payload.starts_with("===") || payload.starts_with("\xE2\x95\x90");
  }
  bool Take(std::string_view payload, bool has_prefix);
  void Begin(Section section);
  void TakeHead(std::string_view payload);
  void TakeEnvironment(std::string_view payload);
  void TakeTable(std::string_view payload);
  void TakeTopology(std::string_view rest);
  void TakeBatch(std::string_view rest);
  void TakeCommand(std::string_view payload);
  void TakeWord(std::string_view name, std::string_view value);

  Section section_ = Section::kNone;
  std::uint32_t seen_ = 0;  // sections of this banner, bits
  std::size_t lines_ = 0;   // of this section
  RunFacts stated_;         // banner and table
  RunFacts environment_;
  RunFacts of_command_;
  std::string command_;  // while its lines come in
  // Parts of facts that stand on several lines of the table.
  std::optional<std::int64_t> mini_batch_, required_batches_;
  std::optional<std::int64_t> rollout_nodes_;
};

}  // namespace rlrun
