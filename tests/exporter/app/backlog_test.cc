// A backlog of 200 MB that no memory holds, beside small logs that are written
// meanwhile: those are read by the next pass, and the reader holds little.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "exporter/app/root_reader.h"
#include "tests/exporter/app/live_bytes.h"
#include "tests/support/in_memory_file_source.h"

namespace rlrun {
namespace {

// Files of /r whose bytes are made when they are read: one text again and
// again.
class EndlessSource : public InMemoryFileSource {
 public:
  void AddBacklog(const std::string& path, std::string text,
                  std::uint64_t size) {
    Write(path, "x");  // so that it is listed
    texts_[path] = {std::move(text), size};
  }
  std::uint64_t served() const { return served_; }

  IoStatus Stat(const std::string& path, FileStat* stat) override {
    const IoStatus status = InMemoryFileSource::Stat(path, stat);
    const auto it = texts_.find(path);
    if (it != texts_.end()) stat->size = it->second.second;
    return status;
  }
  IoStatus Open(const std::string& path,
                std::unique_ptr<OpenFile>* file) override {
    const auto it = texts_.find(path);
    if (it == texts_.end()) return InMemoryFileSource::Open(path, file);
    FileStat stat;
    const IoStatus status = Stat(path, &stat);
    if (status.ok()) {
      *file = std::make_unique<File>(&it->second.first, stat, &served_);
    }
    return status;
  }

 private:
  class File : public OpenFile {
   public:
    File(const std::string* text, const FileStat& stat, std::uint64_t* served)
        : text_(text), stat_(stat), served_(served) {}
    IoStatus Read(std::uint64_t offset, char* buffer, std::size_t size,
                  std::size_t* got) override {
      *got = 0;
      while (*got < size && offset < stat_.size) {
        const std::size_t at = offset % text_->size();
        const std::size_t n = std::min<std::uint64_t>(
            {size - *got, text_->size() - at, stat_.size - offset});
        std::memcpy(buffer + *got, text_->data() + at, n);
        *got += n;
        offset += n;
      }
      *served_ += *got;
      return IoStatus::Ok();
    }
    IoStatus Stat(FileStat* stat) override {
      *stat = stat_;
      return IoStatus::Ok();
    }

   private:
    const std::string* text_;
    FileStat stat_;
    std::uint64_t* served_;
  };

  std::map<std::string, std::pair<std::string, std::uint64_t>> texts_;
  std::uint64_t served_ = 0;
};

constexpr std::uint64_t kBacklog = 200u << 20;

// Engine lines with a step line of many keys now and then.
std::string Console() {
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    text += "(WorkerDict pid=42) INFO engine: throughput " +
            std::to_string(i * 7) + " tokens/s, running 12, waiting 3\n";
  }
  text += "(TaskRunner pid=7) step:5";
  for (int i = 0; i < 250; ++i) {
    text += " - part/key_" + std::to_string(i) + ":0.125";
  }
  return text + "\n";
}

class BacklogTest : public ::testing::Test {
 protected:
  BacklogTest() {
    root_.path = "/r";
    files_.Mkdir("/r");
  }
  Now At(double t) const { return {1000 + t, 1750000000 + t}; }
  // Newest step of the small log in what is taken now; 0: none.
  std::int64_t TakeSmall() {
    std::int64_t newest = 0;
    for (const FileUpdate& u : reader_->Take().updates) {
      if (u.path != kSmall) continue;
      for (const StepRecord& r : u.facts.steps) newest = r.step;
    }
    return newest;
  }
  void Start() {
    reader_ = std::make_unique<RootReader>(root_, options_, &files_);
  }
  // Passes until the backlogs are read; appends a step before each. How often
  // one was late.
  int CountLate() {
    int late = 0;
    double t = 0;
    bool more = true;
    for (int pass = 0; TakeSmall() == 0 && pass < 4; ++pass) {
      reader_->Pass(At(0));  // each file had a turn
    }
    for (int step = 2; more; ++step) {
      files_.Append(kSmall, "step:" + std::to_string(step) + " - a:1\n");
      more = reader_->Pass(At(++t)) == 0;
      if (TakeSmall() != step) ++late;
    }
    return late;
  }

  static constexpr const char* kSmall = "/r/small.log";
  EndlessSource files_;
  RootOptions root_;
  ReaderOptions options_;
  std::unique_ptr<RootReader> reader_;
};

TEST_F(BacklogTest, StepOfASmallLogIsReadByTheNextPass) {
  files_.AddBacklog("/r/big.log", Console(), kBacklog);
  files_.Write(kSmall, "step:1 - a:1\n");
  Start();
  EXPECT_EQ(CountLate(), 0);
  EXPECT_GE(files_.served(), kBacklog);
}

// Each turn of such a log fills all that waits for Tick.
TEST_F(BacklogTest, BacklogOfNothingButStepsStarvesNobody) {
  files_.AddBacklog("/r/big.log", "step:5 - a:1\n", kBacklog / 4);
  files_.AddBacklog("/r/big2.log", "step:5 - a:1\n", kBacklog / 4);
  files_.Write(kSmall, "step:1 - a:1\n");
  Start();
  EXPECT_EQ(CountLate(), 0);
  EXPECT_GE(files_.served(), kBacklog / 2);
}

// Backlogs have their turns one after the other, also when each pass has room
// for one of them only.
TEST_F(BacklogTest, BacklogsHaveTurnsByTurns) {
  for (const char* path : {"/r/big1.log", "/r/big2.log", "/r/big3.log"}) {
    files_.AddBacklog(path, "step:5 - a:1\n", kBacklog / 4);
  }
  Start();
  std::map<std::string, std::uint64_t> read;
  for (int pass = 0; pass < 12; ++pass) {
    reader_->Pass(At(0));
    for (const FileUpdate& u : reader_->Take().updates) {
      read[u.path] = u.progress.bytes_read;
    }
  }
  ASSERT_EQ(read.size(), 3u);
  const auto [least, most] = std::minmax_element(
      read.begin(), read.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  EXPECT_LE(most->second - least->second, options_.tail.bytes_per_turn);
}

TEST_F(BacklogTest, T47_LittleIsHeldWhileMuchIsRead) {
  for (const std::string& text : {Console(), std::string("step:5 - a:1\n"),
                                  std::string(3u << 20, 'x') + "\n"}) {
    files_.AddBacklog("/r/big.log", text, kBacklog / 4);
    Start();
    const std::int64_t before = LiveBytes();
    RestartPeak();
    while (reader_->Pass(At(0)) == 0) reader_->Take();
    reader_->Take();
    EXPECT_LT(PeakBytes() - before, 64 << 20) << text.substr(0, 20);
    EXPECT_LT(LiveBytes() - before, 8 << 20);
  }
}

}  // namespace
}  // namespace rlrun
