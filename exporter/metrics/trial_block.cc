#include "exporter/metrics/trial_block.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "exporter/metrics/catalogue.h"
#include "exporter/metrics/step_families.h"

namespace rlrun {
namespace {

using Header = std::shared_ptr<const FamilyHeader>;

struct Families {
  Header errors = Family("rlrun_exporter_trial_errors_total");
  Header duration = Family("rlrun_trial_duration_seconds");
  Header exceptions = Family("rlrun_trial_exceptions_total");
  Header reward = Family("rlrun_trial_reward");
  Header tokens = Family("rlrun_trial_tokens_total");
  Header trials = Family("rlrun_trials");
  Header dropped = Family("rlrun_trials_dropped_total");
  Header finished = Family("rlrun_trials_finished_total");
  Header complete = Family("rlrun_trials_scan_complete");
  Header scored = Family("rlrun_trials_scored_total");
  Header solved = Family("rlrun_trials_solved_total");
};

struct ExceptionCount {
  std::string_view split;
  std::string_view type;
  std::uint64_t count = 0;
};

// Adds the families of one run, in the order of their names.
class Writer {
 public:
  Writer(const TrialTotals& totals, std::string_view common)
      : totals_(totals), common_(common) {}

  void Exceptions(std::size_t most, std::size_t* written) {
    std::vector<ExceptionCount> all;
    EachSplit([&](std::string_view split, const TrialSplitTotals& t) {
      for (const auto& [type, count] : t.exceptions) {
        all.push_back({split, type, count});
      }
    });
    if (all.size() > most) {
      std::stable_sort(all.begin(), all.end(),
                       [](const ExceptionCount& a, const ExceptionCount& b) {
                         return a.count > b.count;
                       });
      all.resize(most);
    }
    for (const ExceptionCount& e : all) {
      Add(family_.exceptions, {"split", e.split},
          {"exception", KeyLabelValue(e.type)}, e.count);
    }
    *written = all.size();
  }

  void BeforeExceptions() {
    Errors();
    EachSplit([&](std::string_view split, const TrialSplitTotals& t) {
      if (!HasHistograms(split, t)) return;
      for (std::size_t i = 0; i < kTrialStages; ++i) {
        const std::array<Label, 2> labels = {
            Label{"split", split}, Label{"stage", kTrialStageNames[i]}};
        builder_.AddHistogram(family_.duration, common_, labels,
                              kTrialSecondsBounds, t.seconds[i].counts,
                              t.seconds[i].sum.value());
      }
    });
  }

  void BehindExceptions() {
    EachSplit([&](std::string_view split, const TrialSplitTotals& t) {
      if (!HasHistograms(split, t)) return;
      const Label label{"split", split};
      builder_.AddHistogram(family_.reward, common_, {&label, 1},
                            kTrialRewardBounds, t.rewards.counts,
                            t.rewards.sum.value());
    });
    EachSplit([&](std::string_view split, const TrialSplitTotals& t) {
      AddAll(family_.tokens, split, "kind", kTrialTokenKindNames, t.tokens);
    });
    EachSplit([&](std::string_view split, const TrialSplitTotals& t) {
      Add(family_.trials, {"split", split}, {"state", "running"}, t.running);
      Add(family_.trials, {"split", split}, {"state", "stuck"}, t.stuck);
    });
    EachSplit([&](std::string_view split, const TrialSplitTotals& t) {
      for (const auto& [reason, n] : t.dropped) {
        Add(family_.dropped, {"split", split},
            {"reason", KeyLabelValue(reason)}, n);
      }
    });
    EachSplit([&](std::string_view split, const TrialSplitTotals& t) {
      AddAll(family_.finished, split, "reason", kTrialReasonNames, t.finished);
    });
    Complete();
    EachSplit([&](std::string_view split, const TrialSplitTotals& t) {
      Add(family_.scored, {"split", split}, t.scored);
    });
    EachSplit([&](std::string_view split, const TrialSplitTotals& t) {
      Add(family_.solved, {"split", split}, t.solved);
    });
  }

  void Errors() {
    Add(family_.errors, {"kind", "unreadable_result"},
        totals_.unreadable_results);
    Add(family_.errors, {"kind", "malformed_drop_line"},
        totals_.malformed_lines);
  }
  void Complete() {
    builder_.AddRendered(family_.complete, common_, {},
                         totals_.complete ? 1 : 0);
  }
  SampleBlock Build() { return builder_.Build(); }

 private:
  template <typename Use>
  void EachSplit(Use use) const {
    for (std::size_t i = 0; i < kTrialSplits; ++i) {
      use(kTrialSplitNames[i], totals_.splits[i]);
    }
  }
  // Most runs have no trial of an unknown split, and the buckets are many.
  static bool HasHistograms(std::string_view split, const TrialSplitTotals& t) {
    return split != kTrialSplitNames.back() || t.finished_all() != 0 ||
           t.running + t.stuck != 0;
  }
  void Add(const Header& family, Label label, std::uint64_t value) {
    builder_.Add(family, common_, {&label, 1}, static_cast<double>(value));
  }
  void Add(const Header& family, Label first, Label second,
           std::uint64_t value) {
    const std::array<Label, 2> labels = {first, second};
    builder_.Add(family, common_, labels, static_cast<double>(value));
  }
  template <std::size_t N>
  void AddAll(const Header& family, std::string_view split,
              std::string_view label,
              const std::array<std::string_view, N>& names,
              const std::array<std::uint64_t, N>& values) {
    for (std::size_t i = 0; i < N; ++i) {
      Add(family, {"split", split}, {label, names[i]}, values[i]);
    }
  }

  static const Families& TheFamilies() {
    static const Families families;
    return families;
  }

  const Families& family_ = TheFamilies();
  const TrialTotals& totals_;
  std::string_view common_;
  BlockBuilder builder_;
};

}  // namespace

SampleBlock RenderTrials(const TrialTotals& totals, std::string_view common,
                         std::size_t max_exceptions, std::size_t* exceptions) {
  *exceptions = 0;
  Writer out(totals, common);
  if (!totals.complete) {
    out.Complete();
    return out.Build();
  }
  out.BeforeExceptions();
  out.Exceptions(max_exceptions, exceptions);
  out.BehindExceptions();
  return out.Build();
}

std::size_t CountExceptionSeries(const TrialTotals& totals) {
  if (!totals.complete) return 0;
  std::size_t n = 0;
  for (const TrialSplitTotals& split : totals.splits) {
    n += split.exceptions.size();
  }
  return n;
}

}  // namespace rlrun
