// The whole service over a file system in memory, one root of which does not
// answer: threads, timeouts and the HTTP side are the real ones.
#include "exporter/app/service.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "exporter/app/log.h"
#include "tests/support/in_memory_file_source.h"

namespace rlrun {
namespace {

using Clock = std::chrono::steady_clock;

class ServiceTest : public ::testing::Test {
 protected:
  ServiceTest() {
    SetupLog("error", "logfmt");
    files_->SetClock(std::chrono::duration_cast<std::chrono::nanoseconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count());
    for (const char* path : {"/good", "/stuck"}) {
      RootOptions root;
      root.path = path;
      config_.roots.push_back(root);
    }
    config_.tail.use_inotify = false;
    config_.tail.active_interval = config_.tail.idle_interval = 0.02;
    config_.tail.directory_interval = 0.02;
    config_.tail.root_timeout = 0.3;
    options_.web.listen_addresses = {"127.0.0.1:0"};
  }
  ~ServiceTest() override { Stop(); }

  void Start() {
    service_ = std::make_unique<Service>(options_, config_, files_);
    ASSERT_EQ(service_->Start(), "");
    run_ = std::async(std::launch::async,
                      [this] { return service_->Run(stop_.get_token()); });
  }
  // What Run said.
  bool Stop() {
    stop_.request_stop();
    return run_.valid() && run_.get();
  }
  // Waits until /metrics holds the line.
  bool Shows(const std::string& line) {
    std::string url = service_->urls()[0];
    while (url.ends_with('/')) url.pop_back();
    httplib::Client client(url);
    const auto deadline = Clock::now() + std::chrono::seconds(60);
    do {
      const auto answer = client.Get("/metrics");
      if (!answer || answer->status != 200) return false;
      if (("\n" + answer->body).find("\n" + line + "\n") != std::string::npos) {
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    } while (Clock::now() < deadline);
    return false;
  }

  // Never destroyed: a thread may be left behind in it.
  InMemoryFileSource* const files_ = [] {
    static auto* const all = new std::vector<InMemoryFileSource*>;
    all->push_back(new InMemoryFileSource);
    return all->back();
  }();
  CommandOptions options_;
  Config config_;
  std::unique_ptr<Service> service_;
  std::stop_source stop_;
  std::future<bool> run_;
};

TEST_F(ServiceTest, T40_BlockedMountDelaysNeitherScrapesNorOtherRoots) {
  files_->Write("/good/a.log", "step:1 - k:1\n");
  files_->Write("/stuck/b.log", "step:1 - k:1\n");
  Start();
  ASSERT_TRUE(Shows("rlrun_step_k{run=\"a\"} 1"));
  ASSERT_TRUE(Shows("rlrun_step_k{run=\"b\"} 1"));
  ASSERT_TRUE(Shows("rlrun_exporter_root_up{root=\"/stuck\"} 1"));
  files_->Block("/stuck");
  files_->WaitUntilBlocked("/stuck");
  EXPECT_TRUE(Shows("rlrun_exporter_root_up{root=\"/stuck\"} 0"));
  files_->Append("/good/a.log", "step:2 - k:2\n");
  files_->Append("/stuck/b.log", "step:2 - k:2\n");
  EXPECT_TRUE(Shows("rlrun_step_k{run=\"a\"} 2"));
  EXPECT_TRUE(Shows("rlrun_exporter_root_up{root=\"/good\"} 1"));
  EXPECT_TRUE(Shows("rlrun_step_k{run=\"b\"} 1"));  // kept as it was
  files_->Release("/stuck");
  EXPECT_TRUE(Shows("rlrun_exporter_root_up{root=\"/stuck\"} 1"));
  EXPECT_TRUE(Shows("rlrun_step_k{run=\"b\"} 2"));
  EXPECT_TRUE(Stop());  // nobody is left behind
}

TEST_F(ServiceTest, T41_RootThatNeverAnsweredIsDownAndLeftBehindAtTheStop) {
  files_->Write("/good/a.log", "step:1 - k:1\n");
  files_->Mkdir("/stuck");
  files_->Block("/stuck");
  Start();
  EXPECT_TRUE(Shows("rlrun_step_k{run=\"a\"} 1"));
  EXPECT_TRUE(Shows("rlrun_exporter_root_up{root=\"/stuck\"} 0"));
  const auto begin = Clock::now();
  EXPECT_FALSE(Stop());
  // Promised are two seconds; machines under sanitizers are slow.
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
  service_.reset();
  files_->Release("/stuck");
}

}  // namespace
}  // namespace rlrun
