#include "parsers/formats/stated_facts.h"

#include <utility>

#include "parsers/formats/verl_overrides.h"

namespace rlrun {

bool StatedFacts::Take(const Line& line, std::string_view payload,
                       const ActorPrefix& prefix, RunMode mode) {
  using Outcome = VerlConfigBlock::Outcome;
  bool taken = false;
  const Outcome outcome =
      config_.Offer(payload, PayloadIndent(line.text, payload, prefix), prefix);
  if (outcome == Outcome::kConfig) TakeConfig(mode);
  taken = outcome != Outcome::kIgnored;
  if (banner_.Offer(payload, prefix.present())) {
    taken = has_banner_ = has_news_ = true;
  }
  if (payload.front() != 'E') return taken;
  if (const auto words = ParseErrorOverrides(payload)) {
    of_overrides_ = FactsFromOverrides(*words);
    taken = has_news_ = true;
  }
  return taken;
}

void StatedFacts::TakeConfig(RunMode mode) {
  RunFacts facts = FactsFromConfig(config_.config(), config_.is_whole(), mode);
  // What a cut one lost may stand in the one before it.
  if (!config_.is_whole() && of_config_) FillRunFacts(*of_config_, &facts);
  of_config_ = std::move(facts);
  config_is_open_part_ = false;
  has_news_ = true;
}

std::shared_ptr<const RunFacts> StatedFacts::TakeNews() {
  if (!std::exchange(has_news_, false)) return nullptr;
  auto facts = std::make_shared<RunFacts>();
  if (of_config_) *facts = *of_config_;
  if (has_banner_) FillRunFacts(banner_.facts(), facts.get());
  if (of_overrides_) FillRunFacts(*of_overrides_, facts.get());
  return facts;
}

void StatedFacts::Finish(RunMode mode, LogFacts* facts) {
  if (config_.is_open() && (!of_config_ || config_is_open_part_) &&
      config_.size() != open_size_) {
    open_size_ = config_.size();
    if (config_.Peek()) {
      of_config_ = FactsFromConfig(config_.config(), false, mode);
      config_is_open_part_ = has_news_ = true;
    }
  }
  const VerlConfigBlock::Counts& now = config_.counts();
  const auto count = [&](ConfigOutcome outcome, std::uint64_t n) {
    facts->config_blocks[static_cast<std::size_t>(outcome)] += n;
  };
  count(ConfigOutcome::kWhole, now.configs - counted_.configs);
  count(ConfigOutcome::kCut, now.cut_configs - counted_.cut_configs);
  count(ConfigOutcome::kOther, now.other_dicts - counted_.other_dicts);
  count(ConfigOutcome::kGivenUp, now.given_up - counted_.given_up);
  counted_ = now;
}

}  // namespace rlrun
