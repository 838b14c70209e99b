// Writes trials of every kind into a file system in memory, and keeps a ledger
// of what must be counted. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "parsers/model/trial_result.h"
#include "tests/support/in_memory_file_source.h"

namespace rlrun {

class TrialLedger {
 public:
  explicit TrialLedger(InMemoryFileSource* files) : files_(files) {}

  // A trial of `kind` (any number; each reason has its turn) that has started.
  // `directory`: of the experiment. Every tenth task validates.
  void Start(const std::string& directory, int step, int number, int kind) {
    char name[64];
    std::snprintf(name, sizeof name, "/step_%04d/task-%04d-%08x", step,
                  number / 2, static_cast<unsigned>(number));
    Open open{directory + name, number % 20 < 2 ? "val" : "train", kind};
    files_->Write(open.path + "/config.json",
                  "{\"task\": {\"path\": \"" + Task(open) + "\"}}");
    open_.push_back(std::move(open));
  }
  // Those that are running have their results now; every `left`-th goes on.
  void FinishAll(int left = 0) {
    std::vector<Open> on;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (left != 0 && i % static_cast<std::size_t>(left) == 0) {
        on.push_back(open_[i]);
      } else {
        Finish(open_[i]);
      }
    }
    open_ = std::move(on);
  }
  void Drop(const std::string& directory, const std::string& reason,
            bool validate) {
    files_->Append(directory + "/_dropped/dropped.17.jsonl",
                   "{\"ts\": 1.5, \"task\": \"t\", \"reason\": \"" + reason +
                       "\", \"validate\": " + (validate ? "true" : "false") +
                       ", \"global_steps\": 1}\n");
    ++counts_["rlrun_trials_dropped_total{split=\"" +
              std::string(validate ? "val" : "train") + "\",reason=\"" +
              reason + "\"}"];
  }

  // Series without the labels of the run, and their values.
  std::map<std::string, std::uint64_t> Wanted() const {
    auto wanted = counts_;
    for (const Open& open : open_) {
      ++wanted["rlrun_trials{split=\"" + open.split + "\",state=\"running\"}"];
    }
    return wanted;
  }

 private:
  struct Open {
    std::string path;
    std::string split;
    int kind = 0;
  };
  struct Kind {
    TrialReason reason;
    const char* exception;
    const char* message;
    const char* reward;  // empty: none
    const char* stop;    // the agent's own word; empty: none
  };
  static const std::array<Kind, 9>& Kinds() {
    static const std::array<Kind, 9> kinds = {{
        {TrialReason::kAgentCompleted, "", "", "1", ""},
        {TrialReason::kAgentCompleted, "", "", "0", ""},
        {TrialReason::kTimeout, "AgentTimeoutError", "late", "0.5", ""},
        {TrialReason::kOverlong, "ContextLengthExceededError", "long", "", ""},
        {TrialReason::kMaxTurnsReached, "", "", "-0.25", "max_turns_reached"},
        {TrialReason::kEnvSetupFailed, "RuntimeError",
         "Failed to pull image: x", "", ""},
        {TrialReason::kUnscored, "RewardFileNotFoundError", "none", "", ""},
        {TrialReason::kTimeout, "VerifierTimeoutError", "late", "", ""},
        {TrialReason::kUnscored, "", "", "", ""},
    }};
    return kinds;
  }
  static std::string Task(const Open& open) {
    return "/data/" + open.split + "/1";
  }
  void Finish(const Open& open) {
    const Kind& kind =
        Kinds()[static_cast<std::size_t>(open.kind) % Kinds().size()];
    std::string text = "{\"task_id\": {\"path\": \"" + Task(open) +
                       "\"}, \"agent_result\": {\"n_input_tokens\": 10, "
                       "\"metadata\": {\"stop_reason\": \"" +
                       kind.stop + "\"}}";
    const std::string split = "split=\"" + open.split + "\"";
    if (*kind.exception != '\0') {
      text += std::string(", \"exception_info\": {\"exception_type\": \"") +
              kind.exception + "\", \"exception_message\": \"" + kind.message +
              "\"}";
      ++counts_["rlrun_trial_exceptions_total{" + split + ",exception=\"" +
                kind.exception + "\"}"];
    }
    if (*kind.reward != '\0') {
      text +=
          std::string(", \"verifier_result\": {\"rewards\": {\"reward\": ") +
          kind.reward + "}}";
      ++counts_["rlrun_trials_scored_total{" + split + "}"];
      ++counts_["rlrun_trial_reward_count{" + split + "}"];
      if (*kind.reward != '-' && *kind.reward != '0') {
        ++counts_["rlrun_trials_solved_total{" + split + "}"];
      } else if (std::string(kind.reward) == "0.5") {
        ++counts_["rlrun_trials_solved_total{" + split + "}"];
      }
    }
    files_->Write(open.path + "/result.json", text + "}");
    ++counts_["rlrun_trials_finished_total{" + split + ",reason=\"" +
              std::string(
                  kTrialReasonNames[static_cast<std::size_t>(kind.reason)]) +
              "\"}"];
    counts_["rlrun_trial_tokens_total{" + split + ",kind=\"input\"}"] += 10;
  }

  InMemoryFileSource* files_;
  std::vector<Open> open_;
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace rlrun
