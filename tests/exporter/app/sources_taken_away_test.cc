// One run with a log, a W&B file and a TensorBoard file on a real disk, and
// each of them taken away in turn.
#include <gtest/gtest.h>

#include <boost/filesystem.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "exporter/app/app.h"
#include "exporter/app/log.h"
#include "exporter/exposition/exposition.h"
#include "exporter/tail/real_file_source.h"
#include "tests/exporter/app/metric_sources.h"
#include "tests/exporter/app/run_files.h"
#include "tests/support/temp_folder.h"

namespace rlrun {
namespace {

constexpr std::time_t kStart = 1767323045;  // Unix seconds
constexpr int kSteps = 12;

class SourcesTakenAwayTest : public ::testing::Test {
 protected:
  SourcesTakenAwayTest() {
    SetupLog("error", "logfmt");
    Put(log_);
    Put(wandb_);
    Put(events_);
    // The root does not turn empty when they go.
    Write(folder_ / "notes.log", "nothing\n");
    RootOptions root;
    root.path = folder_.path();
    config_.roots.push_back(root);
    AppOptions options;
    options.self = {"test", "test", /*deterministic=*/true};
    app_ = std::make_unique<App>(config_, options, &source_);
    Read();
  }

  struct File {
    std::string path, text;
  };
  void Write(const std::string& path, const std::string& text) {
    const boost::filesystem::path file(path);
    boost::filesystem::create_directories(file.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    boost::filesystem::last_write_time(file, kStart);
  }
  void Put(const File& file) { Write(file.path, file.text); }
  static void Take(const File& file) { boost::filesystem::remove(file.path); }

  void Read() {
    time_ += 10;
    app_->ReadInline({time_, static_cast<double>(kStart) + time_});
  }
  // Longer than a source may be unreadable, shorter than until it is forgotten.
  void ReadOn() {
    for (int i = 0; i < 5; ++i) Read();
  }

  std::string Text() const {
    std::string text;
    AppendBlocks(&text, app_->snapshot()->blocks, TextFormat::kText004);
    return text;
  }
  std::string Value(const std::string& family,
                    const std::string& labels = "") const {
    const std::string series =
        "\n" + family + "{run=\"exp\",project=\"p\"" + labels + "} ";
    const std::string text = "\n" + Text();
    const std::size_t at = text.find(series);
    if (at == std::string::npos) return "absent";
    const std::size_t begin = at + series.size();
    return text.substr(begin, text.find('\n', begin) - begin);
  }
  std::string Up(const std::string& source) const {
    return Value("rlrun_source_up", ",source=\"" + source + "\"");
  }
  // The state of rlrun_data_source that is 1; empty: none is.
  std::string DataSource() const {
    for (const char* state : {"wandb_ok", "log_fallback", "unreachable"}) {
      if (Value("rlrun_data_source", std::string(",state=\"") + state + "\"") ==
          "1") {
        return state;
      }
    }
    return "";
  }
  std::string Decision() const {
    for (const char* decision : {"continue", "wait", "stop"}) {
      if (Value("rlrun_decision",
                std::string(",decision=\"") + decision + "\"") == "1") {
        return decision;
      }
    }
    return "";
  }
  RunReport Report() {
    const auto reports =
        app_->Reports({time_, static_cast<double>(kStart) + time_});
    EXPECT_EQ(reports.size(), 1u);
    return reports.at(0);
  }
  // Every value of the newest step, whichever sources are left.
  void ExpectValues() const {
    EXPECT_EQ(app_->snapshot()->runs.size(), 1u);
    EXPECT_EQ(Value("rlrun_last_step", ",line=\"train\""), "12");
    EXPECT_EQ(Value("rlrun_step_actor_grad_norm"), "0.25");
    EXPECT_EQ(Value("rlrun_step_critic_score_mean"), "0.6875");
    EXPECT_EQ(Value("rlrun_step_response_length_mean"), "312");
    EXPECT_EQ(Value("rlrun_step_timing_s", ",phase=\"step\""), "61.5");
  }

  TempFolder folder_;
  const File log_{folder_ / "exp.log",
                  ConfigBlock("p", "exp") + LogSteps(kSteps)};
  const File wandb_{
      folder_ / "wandb/run-20260102_030405-abc/run-abc.wandb",
      WandbOf("p", "exp", kSteps, static_cast<double>(kStart) - 60).text()};
  const File events_{
      folder_ / "tensorboard_log/p/exp/events.out.tfevents.1767323045.h.7.0",
      EventsOf(kSteps, static_cast<double>(kStart) - 60)};
  RealFileSource source_;
  Config config_;
  std::unique_ptr<App> app_;
  double time_ = 0;
};

TEST_F(SourcesTakenAwayTest, AllThreeAreOneRun) {
  ExpectValues();
  EXPECT_EQ(Up("log"), "1");
  EXPECT_EQ(Up("wandb"), "1");
  EXPECT_EQ(Up("tensorboard"), "1");
  EXPECT_EQ(DataSource(), "wandb_ok");
  EXPECT_EQ(Decision(), "continue");
  EXPECT_EQ(Report().data_source, "wandb_ok");
  EXPECT_EQ(Report().path, log_.path);
}

TEST_F(SourcesTakenAwayTest, EachInTurn) {
  Take(log_);
  Read();
  EXPECT_EQ(Up("log"), "0");
  EXPECT_EQ(DataSource(), "wandb_ok") << "at once";
  EXPECT_EQ(Decision(), "continue");
  ReadOn();
  ExpectValues();
  EXPECT_EQ(DataSource(), "wandb_ok");
  EXPECT_EQ(Decision(), "continue");
  EXPECT_EQ(Report().path, wandb_.path);

  Put(log_);
  Take(wandb_);
  Read();
  ExpectValues();
  EXPECT_EQ(Up("log"), "1");
  EXPECT_EQ(Up("wandb"), "0");
  EXPECT_EQ(DataSource(), "log_fallback");
  EXPECT_EQ(Decision(), "continue");
  EXPECT_EQ(Report().data_source, "log_fallback");
  EXPECT_EQ(Report().path, log_.path);

  Put(wandb_);
  Take(events_);
  Read();
  ExpectValues();
  EXPECT_EQ(Up("wandb"), "1");
  EXPECT_EQ(Up("tensorboard"), "0");
  EXPECT_EQ(DataSource(), "wandb_ok");
  EXPECT_EQ(Decision(), "continue");
}

TEST_F(SourcesTakenAwayTest, TensorboardAloneIsLeft) {
  Take(log_);
  Take(wandb_);
  ReadOn();
  ExpectValues();
  EXPECT_EQ(DataSource(), "");
  EXPECT_EQ(Report().data_source, "tensorboard");
  EXPECT_EQ(Decision(), "continue");
}

TEST_F(SourcesTakenAwayTest, NothingIsLeft) {
  Take(log_);
  Take(wandb_);
  Take(events_);
  ReadOn();
  ExpectValues();
  EXPECT_EQ(Up("log") + Up("wandb") + Up("tensorboard"), "000");
  EXPECT_EQ(DataSource(), "unreachable");
  EXPECT_EQ(Decision(), "wait");
  EXPECT_EQ(Report().data_source, "unreachable");
}

TEST_F(SourcesTakenAwayTest, WandbThatIsForgottenIsStillMissed) {
  Take(wandb_);
  for (int i = 0; i < 12; ++i) Read();
  ExpectValues();
  EXPECT_EQ(Up("wandb"), "absent");
  EXPECT_EQ(DataSource(), "log_fallback");
}

TEST_F(SourcesTakenAwayTest, NothingIsWrittenBesideThem) {
  std::vector<std::string> names;
  for (const auto& entry :
       boost::filesystem::recursive_directory_iterator(folder_.path())) {
    if (boost::filesystem::is_regular_file(entry.path())) {
      names.push_back(entry.path().filename().string());
    }
  }
  EXPECT_EQ(names.size(), 4u);
}

}  // namespace
}  // namespace rlrun
