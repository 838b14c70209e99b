// A run made of step records, and its report. What a test does not set is
// absent.
// Not thread-safe.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "exporter/report/report_text.h"
#include "exporter/report/run_report.h"
#include "exporter/signatures/verdict.h"
#include "tests/exporter/signatures/run_builder.h"

namespace rlrun {

class ReportFixture : public ::testing::Test {
 protected:
  static constexpr double kNow = 1772442000;

  ReportFixture() {
    run_.identity.run = "sums";
    run_.path = "/r/sums.log";
    run_.progress.up = true;
    rules_ = std::make_shared<RunRules>();
  }

  // Training lines first..last with the keys of `keys_`.
  void Play(int first, int last) {
    for (int step = first; step <= last; ++step) {
      Take(keys_.Record(step, keys_.Values(step)));
    }
  }
  void Line(int step, LineClass line_class, const RunBuilder::Pairs& pairs) {
    StepRecord record = keys_.Record(step, pairs);
    record.line_class = line_class;
    Take(record);
  }
  void Facts(RunFacts facts) {
    run_.facts = std::make_shared<RunFacts>(std::move(facts));
    keys_.judge().SetFacts(run_.facts);
  }

  RunReport Report() {
    Judgement judgement = keys_.judge().StepJudgement();
    judgement.state = state_;
    judgement.state_reason = state_reason_;
    judgement.health = DecideHealth(judgement);
    judgement.decision = decision_;
    judgement.decision_reason = decision_reason_;
    judgement.training_steps = keys_.history().steps();
    if (change_) change_(&judgement);
    ReportInput input{run_, keys_.history(), judgement, *rules_,     kNow,
                      {},   processes_,      gpus_,     phase_since_};
    return MakeRunReport(input);
  }
  std::string Text(ReportStyle style = ReportStyle::kText) {
    std::string text;
    AppendReport(Report(), style, &text);
    return text;
  }
  // The line of the report that is called `name`, without its name; empty:
  // there is none.
  std::string Row(const std::string& name) {
    const std::string text = Text();
    std::string head = "\n  " + name;
    head.resize(std::max(head.size(), std::size_t{12}), ' ');
    const std::size_t at = text.find(head);
    if (at == std::string::npos) return "";
    const std::size_t begin = at + head.size();
    return text.substr(begin, text.find('\n', begin) - begin);
  }

  RunBuilder keys_;
  rlrun::Run run_{2000, nullptr};
  std::shared_ptr<RunRules> rules_;
  RunState state_ = RunState::kRunning;
  std::string state_reason_;
  std::optional<Decision> decision_ = Decision::kContinue;
  std::string decision_reason_ = "no warning is active.";
  std::vector<ReportProcess> processes_;
  std::optional<std::int64_t> gpus_;
  std::optional<double> phase_since_;
  std::function<void(Judgement*)> change_;  // the last word

 private:
  void Take(const StepRecord& record) {
    keys_.judge().Apply(record);
    run_.steps.Apply(record);
  }
};

}  // namespace rlrun
