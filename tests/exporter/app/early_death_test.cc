// Runs that die before their first step line: published, named and judged; and
// errors of other programs, which are none of our business.
#include <gmock/gmock.h>

#include <string>

#include "tests/exporter/app/app_fixture.h"

namespace rlrun {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class EarlyDeath : public AppFixture {
 protected:
  static std::string Crash(const std::string& overrides) {
    return "Error executing job with overrides: [" + overrides +
           "]\nTraceback (most recent call last):\n"
           "  File \"/opt/lab/main.py\", line 3, in main\n"
           "ValueError: no such folder\n\n"
           "Set the environment variable HYDRA_FULL_ERROR=1 for a complete "
           "stack trace.\n";
  }
  static std::string OutOfMemory(const std::string& actor) {
    return "(" + actor +
           " pid=31) loading\n"
           "ray.exceptions.OutOfMemoryError: Task was killed due to the node "
           "running low on memory.\n"
           "Traceback (most recent call last):\n"
           "  File \"/opt/lab/tracker.py\", line 8, in _stop\n"
           "ray.exceptions.OutOfMemoryError: Task was killed due to the node "
           "running low on memory.\n";
  }
  std::string State(double t) {
    const auto reports = app_->Reports(NowAt(t));
    if (reports.size() != 1) return std::to_string(reports.size()) + " runs";
    return std::string(
        kRunStateNames[static_cast<std::size_t>(reports[0].state)]);
  }
};

TEST_F(EarlyDeath, ActorOfATrainerAndAnEndAreARun) {
  files_.Append("/r/early.log", OutOfMemory("WorkerDict"));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("early"));
  EXPECT_EQ(Files("run"), "1");
  EXPECT_EQ(State(0), "starting");
  ReadThrough(10, 310);
  EXPECT_EQ(State(310), "failed");
  EXPECT_THAT(app_->Reports(NowAt(310))[0].headline,
              HasSubstr("running low on memory"));
}

TEST_F(EarlyDeath, CrashWhoseOverridesNameAnExperimentIsARun) {
  files_.Append("/r/a.log", Crash("'trainer.experiment_name=exp-7', "
                                  "'trainer.project_name=lab'"));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("lab/exp-7"));
  EXPECT_EQ(State(0), "failed");
}

TEST_F(EarlyDeath, CrashesOfOtherProgramsAreNone) {
  files_.Append("/r/hydra.log", Crash("'trainer.max_epochs=3'"));
  files_.Append("/r/ray.log", OutOfMemory("TestRunner"));
  files_.Append("/r/serve.log", OutOfMemory("ServeReplica"));
  files_.Append("/r/plain.log",
                "Traceback (most recent call last):\n  File \"a.py\", line 1\n"
                "torch.OutOfMemoryError: CUDA out of memory.\n");
  ReadAt(0);
  EXPECT_THAT(Runs(), IsEmpty());
}

// Until its config block says how the run is called.
TEST_F(EarlyDeath, ActorThatLivesWithATracebackWaits) {
  files_.Append("/r/a.log",
                "(TaskRunner pid=7) Traceback (most recent call last):\n"
                "(TaskRunner pid=7) ImportError: no flash\n");
  ReadAt(0);
  EXPECT_THAT(Runs(), IsEmpty());
  files_.Append("/r/a.log", Step(1, "a:1"));
  ReadThrough(10, 20);
  EXPECT_THAT(Runs(), ElementsAre("a"));
}

TEST_F(EarlyDeath, ScriptThatSaysFinishedBehindAnErrorProvesNothing) {
  files_.Append("/r/a.log",
                OutOfMemory("AgentLoopWorker") + "Training completed\n");
  ReadAt(0);
  EXPECT_EQ(State(0), "starting");
  ReadThrough(10, 310);
  EXPECT_EQ(State(310), "failed");
}

}  // namespace
}  // namespace rlrun
