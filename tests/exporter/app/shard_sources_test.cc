// Several exporters over one tree that holds every kind of source, joined and
// alone: together they expose what one exporter without shards does, line by
// line.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "exporter/process/process_scanner.h"
#include "tests/exporter/app/app_fixture.h"
#include "tests/exporter/app/metric_sources.h"
#include "tests/exporter/app/run_files.h"
#include "tests/exporter/process/fake_proc.h"

namespace rlrun {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kResult =
    "{\"task_id\": {\"path\": \"/d/train/1\"}, \"verifier_result\": "
    "{\"rewards\": {\"reward\": 1}}}";

class ShardSourcesTest : public AppFixture {
 protected:
  std::unique_ptr<App> AppOf(std::uint32_t index, std::uint32_t count) {
    if (config_.roots.empty()) AddRoot("/r");
    AppOptions options;
    options.self = {"test", "test", true};
    options.shard = {index, count};
    return std::make_unique<App>(config_, options, &files_);
  }
  // All samples of runs, in order.
  static void AddSamples(const App& app, std::vector<std::string>* samples) {
    std::string text;
    AppendBlocks(&text, app.snapshot()->blocks, TextFormat::kText004);
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = text.find('\n', begin);
      if (text[begin] != '#') {
        samples->push_back(text.substr(begin, end - begin));
      }
      begin = end + 1;
    }
  }
  std::vector<std::string> SamplesOf(std::uint32_t count, double t) {
    std::vector<std::string> samples;
    Clock(t);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto app = AppOf(i, count);
      app->ReadInline(NowAt(t));
      AddSamples(*app, &samples);
    }
    std::sort(samples.begin(), samples.end());
    return samples;
  }
  // A name that shard `index` of two has.
  static std::string NameOn(std::uint32_t index, const std::string& stem,
                            const std::string& project) {
    for (int i = 0;; ++i) {
      std::string name = stem + std::to_string(i);
      if (ShardOf({project, name}, 2) == index) return name;
    }
  }

  void WriteRecord(const std::string& id, const std::string& more = "") {
    const std::string at = std::to_string(kStart);
    files_.Write("/r/store/training-runs/" + id + ".json",
                 R"({"training_run_id": ")" + id +
                     R"(", "framework": "slime", "status": "running", )" +
                     R"("created_at": )" + at + R"(, "updated_at": )" + at +
                     more + "}");
  }
  void WriteConsole(const std::string& path, int steps,
                    const std::string& block = "") {
    files_.Write(path, block + LogSteps(steps));
  }
  // Every file of run `n` of each kind; values differ so that none is another's
  // copy.
  void WriteAlone(int n) {
    const std::string tag = std::to_string(n);
    files_.Write("/r/log" + tag + "/train.log",
                 ConfigBlock("p", "log-" + tag) + TimedStep(1, tag + ".125"));
    files_.Write("/r/named/only-path-" + tag + ".log",
                 TimedStep(1, tag + ".25"));
    files_.Write("/r/out/launch-" + tag + ".out",
                 LaunchBannerText("p", "out-" + tag, "/gone/" + tag + ".log"));
    files_.Write("/r/jsonl/only-" + tag + ".jsonl", JsonlStep(1, tag + ".375"));
    WandbFileWriter wandb;
    WandbRun run;
    run.config = {{"trainer",
                   "{\"project_name\": \"p\", "
                   "\"experiment_name\": \"wandb-" +
                       tag + "\"}"}};
    wandb.Add(WandbRunRecord(run));
    wandb.Add(WandbHistory(1, {{"timing_s/step", tag + ".4375"}}));
    files_.Write("/r/wandb" + tag + "/run-20260302_090000-w" + tag + "/run-w" +
                     tag + ".wandb",
                 wandb.text());
    files_.Write("/r/tb/tb-" + tag + "/events.out.tfevents.1.host",
                 EventRecord(FileVersionEvent(2e9)) +
                     EventRecord(Event(
                         2e9, 1,
                         {SimpleValue("timing_s/step",
                                      static_cast<float>(n) + 0.46875f)})));
    WriteRecord("record-" + tag);
  }
  // Runs that several files tell of, under different names.
  void WriteJoined(int n) {
    const std::string tag = std::to_string(n);
    // A record and the log that states the record's app as its experiment.
    WriteRecord("joined-" + tag, R"(, "modal_app_id": "ap-)" + tag + "\"");
    files_.Write("/r/joined-log" + tag + "/train.log",
                 ConfigBlock("q", "ap-" + tag) + TimedStep(1, tag + ".5"));
    // A launcher's output that names a log elsewhere.
    files_.Write("/r/launched" + tag + "/launcher.out",
                 LaunchBannerText("q", "launched-" + tag,
                                  "/r/elsewhere/trainer-" + tag + ".log"));
    files_.Write("/r/elsewhere/trainer-" + tag + ".log",
                 TimedStep(1, tag + ".625"));
    // Copies of one log.
    for (const char* folder : {"copy-a", "copy-b"}) {
      files_.Write(std::string("/r/") + folder + tag + "/x" + folder + ".log",
                   TimedStep(1, tag + ".75"));
    }
    // Trials of one run, and of none since two runs may mean the folder.
    files_.Write("/r/t/exp" + tag + "/logs/exp" + tag + ".log",
                 TimedStep(1, tag + ".8125"));
    files_.Write("/r/t/exp" + tag + "/step_0001/one/result.json", kResult);
  }
};

TEST_F(ShardSourcesTest, TogetherTheyExposeWhatOneAloneDoes) {
  for (int n = 1; n <= 8; ++n) {
    WriteAlone(n);
    WriteJoined(n);
  }
  // One run by three kinds of files in three places.
  WriteConsole("/r/three/console/x.log", 20);
  files_.Write("/r/three/wandb/run-20260302_090000-abc/run-abc.wandb",
               WandbOf("", "", 20, 1e9).text());
  files_.Write("/r/three/events/e/events.out.tfevents.9.h", EventsOf(20, 1e9));
  // Two of one name, at the same time.
  for (const char* folder : {"one", "two"}) {
    files_.Write(
        std::string("/r/same/") + folder + "/train.log",
        ConfigBlock("p", "same") +
            TimedStep(1, std::string(folder) == "one" ? "901.5" : "902.5"));
  }
  const std::vector<std::string> whole = SamplesOf(1, 60);
  const auto infos = std::count_if(
      whole.begin(), whole.end(),
      [](const std::string& line) { return line.starts_with("rlrun_info{"); });
  EXPECT_EQ(infos, 8 * 7 + 8 * 4 + 1 + 2);
  EXPECT_EQ(
      std::count_if(whole.begin(), whole.end(),
                    [](const std::string& line) {
                      return line.starts_with("rlrun_trials_finished_total") &&
                             line.ends_with(" 1");
                    }),
      8);
  for (const std::uint32_t count : {2u, 3u, 7u}) {
    EXPECT_THAT(SamplesOf(count, 60), ElementsAreArray(whole)) << count;
  }
}

// Unsharded, nobody has them: who has one of the two runs must know of the
// other one.
TEST_F(ShardSourcesTest, TrialsThatTwoRunsMayMeanAreNobodys) {
  for (const std::uint32_t i : {0u, 1u}) {
    const std::string name = NameOn(i, "exp-", "p");
    files_.Write("/r/t/logs/" + name + ".log",
                 ConfigBlock("p", name) + TimedStep(1, i == 0 ? "1.5" : "2.5"));
  }
  files_.Write("/r/t/step_0001/one/result.json", kResult);
  const auto trials = [](std::vector<std::string> samples) {
    std::erase_if(samples, [](const std::string& line) {
      return !line.starts_with("rlrun_trials_");
    });
    return samples;
  };
  EXPECT_THAT(trials(SamplesOf(1, 60)), IsEmpty());
  EXPECT_THAT(trials(SamplesOf(2, 60)), IsEmpty());
}

TEST_F(ShardSourcesTest, FolderThatAnotherShardsRunStatesIsNotGuessed) {
  const std::string owner = NameOn(0, "owner-", "p");
  const std::string guest = NameOn(1, "guest-", "p");
  files_.Write("/r/t/logs/" + guest + ".log",
               ConfigBlock("p", guest) + TimedStep(1, "1.5"));
  files_.Write("/r/o/launch.out",
               LaunchBannerText("p", owner, "/r/o/train.log", 1) +
                   "  trials       /r/t\n");
  files_.Write("/r/o/train.log", TimedStep(1, "2.5"));
  files_.Write("/r/t/step_0001/one/result.json", kResult);
  const std::vector<std::string> whole = SamplesOf(1, 60);
  EXPECT_THAT(whole, Contains("rlrun_trials_finished_total{run=\"" + owner +
                              "\",project=\"p\",split=\"train\",reason="
                              "\"agent_completed\"} 1"));
  EXPECT_THAT(SamplesOf(2, 60), ElementsAreArray(whole));
}

// A process that states the name of two runs is of neither, on whichever shard
// they are.
TEST_F(ShardSourcesTest, ProcessThatFitsAnotherShardsRunAsWellIsNobodys) {
  std::vector<std::string> projects(2);
  for (int i = 0; projects[0].empty() || projects[1].empty(); ++i) {
    const std::string project = "project-" + std::to_string(i);
    projects[ShardOf({project, "exp"}, 2)] = project;
  }
  for (const std::string& project : projects) {
    files_.Write("/r/" + project + "/train.log",
                 ConfigBlock(project, "exp") +
                     TimedStep(1, project == projects[0] ? "1.5" : "2.5"));
  }
  FakeProc proc;
  proc.Put(40, {.arguments = {"python3", "-m", "verl.trainer.main_ppo",
                              "trainer.experiment_name=exp"}});
  proc.Put(41, {.arguments = {"python3", "-m", "verl.trainer.main_ppo",
                              "trainer.experiment_name=exp",
                              "trainer.project_name=" + projects[1]}});
  std::vector<std::string> up;
  for (const std::uint32_t i : {0u, 1u}) {
    const auto app = AppOf(i, 2);
    ProcessScanner scanner(proc.options());
    for (double t = 60; t <= 80; t += 10) {
      Clock(t);
      app->ReadInline(NowAt(t));
      app->TakeProcesses(scanner.Scan(app->RunKeys(), NowAt(t).wall));
      app->Tick(NowAt(t));
    }
    AddSamples(*app, &up);
  }
  std::erase_if(up, [](const std::string& line) {
    return !line.starts_with("rlrun_process_up");
  });
  EXPECT_THAT(up, ElementsAre("rlrun_process_up{run=\"exp\",project=\"" +
                              projects[1] + "\",role=\"trainer\"} 1"));
}

// Two roots with a name of their own for it each: whichever of them is read
// first.
TEST_F(ShardSourcesTest, FileBelowTwoRootsIsOnOneShardWhicheverIsFirst) {
  files_.Mkdir("/a");
  files_.Mkdir("/b");
  for (int i = 0; i < 16; ++i) {
    const std::string n = std::to_string(i);
    files_.Write("/b/" + n + "/" + n + ".log", TimedStep(1, n + ".5"));
  }
  config_.roots.clear();
  AddRoot("/a");
  AddRoot("/b");
  config_.roots[0].run_name = "/(?P<run>[0-9]+)\\.log$";
  config_.roots[1].run_name = "(?P<run>b/[0-9]+)/";
  std::vector<std::unique_ptr<App>> apps;
  apps.push_back(AppOf(0, 2));
  Clock(0);
  apps[0]->ReadInline(NowAt(0));
  files_.Symlink("/b", "/a/link");
  apps.push_back(AppOf(1, 2));
  std::vector<std::string> times;
  for (double t = 60; t <= 120; t += 30) {
    Clock(t);
    times.clear();
    for (const auto& app : apps) {
      app->ReadInline(NowAt(t));
      for (const RunReport& r : app->Reports(NowAt(t))) times.push_back(r.path);
    }
  }
  EXPECT_THAT(times, SizeIs(16));
  std::sort(times.begin(), times.end());
  EXPECT_EQ(std::unique(times.begin(), times.end()), times.end());
}

}  // namespace
}  // namespace rlrun
