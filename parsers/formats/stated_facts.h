// What the lines of a console log state of their run, from the three places
// that do: the config block, the launch banner, the overrides that hydra prints
// when a job fails. Finds their lines, and merges what they say.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "parsers/formats/launch_banner.h"
#include "parsers/formats/verl_config.h"
#include "parsers/lines/line.h"
#include "parsers/lines/payload.h"
#include "parsers/model/log_facts.h"

namespace rlrun {

class StatedFacts {
 public:
  // `payload`: the line behind its prefixes, not empty; `mode`: how the run
  // trains as far as is known. True: the line states facts or is a part of what
  // does. It may be an event beside that.
  bool Offer(const Line& line, std::string_view payload,
             const ActorPrefix& prefix, RunMode mode) {
    if (!MayBegin(payload) && !is_open()) return false;
    return Take(line, payload, prefix, mode);
  }
  // Any next line may be a part of what has begun.
  bool is_open() const { return config_.is_open() || banner_.is_open(); }
  // All facts so far, if any have changed since the last call; else null.
  std::shared_ptr<const RunFacts> TakeNews();
  // Facts are about to be taken: an open config block counts as far as it goes,
  // if there is none before it, and stays open. Adds to `config_blocks`.
  void Finish(RunMode mode, LogFacts* facts);

 private:
  static bool MayBegin(std::string_view payload) {
    const char c = payload.front();
    return c == '{' || c == '=' || c == '\xE2' ||
           (c == 'E' && payload.size() > 6 && payload[5] == ' ');  // `Error `
  }
  bool Take(const Line& line, std::string_view payload,
            const ActorPrefix& prefix, RunMode mode);
  void TakeConfig(RunMode mode);

  VerlConfigBlock config_;
  LaunchBanner banner_;
  std::optional<RunFacts> of_config_, of_overrides_;
  bool config_is_open_part_ = false;  // of_config_ is of a block still open
  std::size_t open_size_ = 0;         // of that block
  bool has_banner_ = false;
  bool has_news_ = false;
  VerlConfigBlock::Counts counted_;  // so far in facts
};

}  // namespace rlrun
