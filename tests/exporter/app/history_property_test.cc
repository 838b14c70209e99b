// Random histories of one run's log, read by the whole exporter core. A ledger
// holds what was written; at the end the merged steps must equal it: nothing
// lost, nothing invented, every value exactly as its line had it. And a second
// exporter that starts in the middle of a history exposes the same step values
// as the one that was there from the beginning, where the file still holds
// them. What the tailer may lose (text that was gone before anybody looked) is
// the business of tail/tailer_property_test.cc; here every text is looked at
// before it is taken away. RLRUN_HISTORIES and RLRUN_SEED set the number and
// the first seed.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <string_view>

#include "exporter/app/app.h"
#include "exporter/app/log.h"
#include "exporter/app/root_reader.h"
#include "tests/support/in_memory_file_source.h"

namespace rlrun {
namespace {

using Steps = std::map<std::int64_t, std::map<std::string, double>>;
constexpr const char* kLog = "/runs/exp/grpo-lab.log";

class History {
 public:
  explicit History(std::uint32_t seed) : random_(seed) {
    root_.path = "/runs";
    files_.Mkdir("/runs/exp");
    options_.tail.rotate_wait = 1;
    reader_ = std::make_unique<RootReader>(root_, options_, &files_);
  }

  // What is wrong; empty: nothing.
  std::string Run() {
    const int events = 1 + Below(30);
    for (int i = 0; i < events; ++i) {
      Event();
      for (int polls = Below(3); polls > 0; --polls) Look();
      if (Chance(0.1)) CompareWithRestart();
    }
    Settle();
    if (wrong_.empty() && merged_ != written_) wrong_ = Difference();
    return wrong_.empty() ? "" : wrong_ + "\nhistory:" + story_;
  }

 private:
  int Below(int n) { return std::uniform_int_distribution(0, n - 1)(random_); }
  bool Chance(double p) { return std::bernoulli_distribution(p)(random_); }

  void Event() {
    switch (Below(14)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        return Write();
      case 5:
        return WritePart();
      case 6:  // `cat /dev/null >log` between two steps; the run goes on
        Settle();
        story_ += " truncate";
        unfinished_.clear();
        unfinished_step_.clear();
        held_from_start_ = false;
        return files_.Exists(kLog) ? files_.Truncate(kLog) : Write();
      case 7:
        if (!files_.Exists(kLog)) return;
        Settle();
        story_ += " copytruncate";
        held_from_start_ = false;
        unfinished_.clear();
        unfinished_step_.clear();
        return files_.CopyTruncate(kLog, std::string(kLog) + ".copy");
      case 8:
        if (!files_.Exists(kLog)) return;
        // Of a log that was never opened nobody knows the old names.
        if (merged_.empty()) Settle();
        story_ += " rotate";
        Complete();
        files_.Rename(kLog, std::string(kLog) + "." + std::to_string(++moved_));
        held_from_start_ = false;
        return Write();
      case 9: {  // an editor or rsync: the same text and more, as a new file
        if (!files_.Exists(kLog)) return;
        story_ += " replace";
        const std::string text = files_.Content(kLog);
        const std::string more = NextLines();
        return files_.Replace(kLog, text + more);
      }
      case 10: {  // `cp` of the same text and more over the file
        if (!files_.Exists(kLog)) return;
        story_ += " rewrite";
        const std::string text = files_.Content(kLog);
        const std::string more = NextLines();
        return files_.Write(kLog, text + more);
      }
      case 11:
        if (!files_.Exists(kLog)) return;
        Settle();
        story_ += " delete";
        held_from_start_ = false;
        unfinished_.clear();
        unfinished_step_.clear();
        return files_.Remove(kLog);
      case 12:
        story_ += " unreadable";
        files_.Fail(InMemoryFileSource::Call::kRead, kLog,
                    Chance(0.5) ? EIO : ESTALE, 1 + Below(2));
        return;
      default:
        story_ += " short";
        return files_.ShortReads(kLog, Chance(0.5) ? 0 : 7);
    }
  }

  std::string StepLine() {
    std::int64_t step = next_step_++;
    // A resume reprints some steps with other values.
    if (Chance(0.05) && step > 3) step = next_step_ = step - 2, ++next_step_;
    std::string line = Chance(0.5) ? "\x1b[36m(TaskRunner pid=7)\x1b[0m " : "";
    line += "step:" + std::to_string(step);
    for (const char* key : {"actor/lr", "critic/score/mean", "timing_s/step"}) {
      // Without a printed duration the arrivals give one, and these may differ.
      if (Chance(0.1) && std::string_view(key) != "timing_s/step") continue;
      const double value = static_cast<double>(++value_) / 64;
      line += " - " + std::string(key) + ":" + std::to_string(value);
      unfinished_step_[step][key] = value;
    }
    return line + (Chance(0.1) ? "\r\n" : "\n");
  }

  void Commit() {
    for (const auto& [step, values] : unfinished_step_) {
      for (const auto& [key, value] : values) written_[step][key] = value;
    }
    unfinished_step_.clear();
    unfinished_.clear();
  }

  // The rest of the unfinished line and some whole ones, as committed.
  std::string NextLines() {
    std::string text = unfinished_;
    Commit();
    for (int i = Below(4); i >= 0; --i) {
      if (Chance(0.4)) text += "(Worker pid=9) loading shard 3 of 8\n";
      text += StepLine();
      Commit();
    }
    return text;
  }

  void Write() {
    story_ += " write";
    files_.Append(kLog, NextLines());
  }

  void WritePart() {
    story_ += " part";
    if (!unfinished_.empty()) return Write();
    const std::string line = StepLine();
    const auto cut =
        static_cast<std::size_t>(1 + Below(static_cast<int>(line.size()) - 2));
    files_.Append(kLog, line.substr(0, cut));
    unfinished_ = line.substr(cut);
  }

  // The writer ends its line before the file is moved away.
  void Complete() {
    files_.Append(kLog, unfinished_);
    Commit();
  }

  void Look() {
    now_.steady += 1 + Below(20);
    now_.wall = 1e9 + now_.steady;
    reader_->Pass(now_);
    TakeNews();
  }

  void TakeNews() {
    for (const FileUpdate& update : reader_->Take().updates) {
      for (const StepRecord& record : update.facts.steps) {
        for (const StepRecord::Pair& pair : record.pairs) {
          merged_[record.step][std::string(record.Key(pair))] = pair.value;
        }
      }
    }
  }

  // Everything that was written is read.
  void Settle() {
    files_.ClearFaults(kLog);
    files_.ShortReads(kLog, 0);
    for (int i = 0; i < 6; ++i) {
      now_.steady += 20;
      while (reader_->Pass(now_) == 0) TakeNews();
      TakeNews();
    }
  }

  std::unique_ptr<App> NewApp() {
    Config config;
    config.roots.push_back(root_);
    config.tail = options_.tail;
    return std::make_unique<App>(
        config, AppOptions{false, {"test", "test", true}}, &files_);
  }

  // What an exporter exposes of the run. Times and the count of files that had
  // the path before may differ between two of them; steps, values and counts of
  // lines may not.
  std::string Expose(App* app) {
    app->ReadInline(now_);
    std::string text;
    AppendBlocks(&text, app->snapshot()->blocks, TextFormat::kText004);
    std::istringstream lines(text);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
      if (line.find("timestamp") == std::string::npos &&
          line.find("rotations_total") == std::string::npos) {
        kept += line + "\n";
      }
    }
    return kept;
  }

  void CompareWithRestart() {
    if (!wrong_.empty()) return;
    Settle();
    if (long_lived_ == nullptr || !held_from_start_) {
      // The file does not hold its whole history any more: start anew.
      held_from_start_ = true;
      long_lived_ = NewApp();
    }
    const std::string old_text = Expose(long_lived_.get());
    const std::string new_text = Expose(NewApp().get());
    if (old_text != new_text) {
      wrong_ =
          "restart differs:\n--- old\n" + old_text + "--- new\n" + new_text;
    }
  }

  std::string Difference() {
    std::string out = "merged steps differ from what was written:\n";
    for (const auto& [step, values] : written_) {
      if (merged_[step] != values) {
        out += " step " + std::to_string(step) + ": wrote " +
               std::to_string(values.size()) + " keys, read " +
               std::to_string(merged_[step].size()) + "\n";
      }
    }
    for (const auto& [step, values] : merged_) {
      if (!written_.contains(step)) {
        out += " step " + std::to_string(step) + " was never written\n";
      }
    }
    return out;
  }

  std::mt19937 random_;
  InMemoryFileSource files_;
  RootOptions root_;
  ReaderOptions options_;
  std::unique_ptr<RootReader> reader_;
  std::unique_ptr<App> long_lived_;
  bool held_from_start_ = true;
  Now now_{1000, 1e9};
  Steps written_;
  Steps merged_;
  std::string unfinished_;  // what completes the line in the file
  Steps unfinished_step_;
  std::int64_t next_step_ = 1;
  int value_ = 0;
  int moved_ = 0;
  std::string story_;
  std::string wrong_;
};

int FromEnvironment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

TEST(HistoryPropertyTest, MergedStepsEqualWhatWasWritten) {
  ASSERT_TRUE(SetupLog("error", "logfmt"));
  const int histories = FromEnvironment("RLRUN_HISTORIES", 1000);
  const int seed = FromEnvironment("RLRUN_SEED", 1);
  for (int i = 0; i < histories; ++i) {
    History history(static_cast<std::uint32_t>(seed + i));
    ASSERT_EQ(history.Run(), "") << "seed " << seed + i;
  }
}

}  // namespace
}  // namespace rlrun
