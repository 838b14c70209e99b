// A record store in memory and a reader of it, with a clock of their own. What
// the reader has told is kept as somebody who listens would have it.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "exporter/records/record_store.h"
#include "tests/support/in_memory_file_source.h"

namespace rlrun {

// Notes every path that is opened or listed.
class TracedSource : public FileSource {
 public:
  explicit TracedSource(FileSource* source) : source_(source) {}
  IoStatus Stat(const std::string& path, FileStat* stat) override {
    paths.push_back(path);
    return source_->Stat(path, stat);
  }
  IoStatus List(const std::string& path,
                std::vector<DirEntry>* entries) override {
    paths.push_back(path);
    return source_->List(path, entries);
  }
  IoStatus Open(const std::string& path,
                std::unique_ptr<OpenFile>* file) override {
    paths.push_back(path);
    return source_->Open(path, file);
  }
  std::string Canonical(const std::string& path) override {
    return source_->Canonical(path);
  }
  bool IsNetwork(const std::string& path) override {
    return source_->IsNetwork(path);
  }
  std::vector<std::string> paths;

 private:
  FileSource* source_;
};

class StoreFixture : public testing::Test {
 protected:
  StoreFixture() { files_.Mkdir("/vol/training-runs"); }

  static std::string Record(const std::string& id, const std::string& more) {
    return "{\"training_run_id\": \"" + id + "\", \"framework\": \"slime\"" +
           (more.empty() ? "" : ", " + more) + "}";
  }
  void WriteRecord(const std::string& id, const std::string& more) {
    files_.Write("/vol/training-runs/" + id + ".json", Record(id, more));
  }

  // Everything that is due, then `seconds` go by.
  void Look(double seconds = 10) {
    while (store_.Pass(steady_, wall_, [] { return true; }) == 0) {
    }
    for (RecordNews& news : store_.Take()) {
      const std::string name =
          news.path.substr(news.path.rfind('/') + 1,
                           news.path.size() - news.path.rfind('/') - 6);
      if (news.removed) {
        runs_.erase(name);
        removed_.push_back(name);
        continue;
      }
      if (news.run != nullptr) runs_[name] = news.run;
      up_[name] = news.up;
      for (StepRecord& s : news.steps) steps_[name].push_back(std::move(s));
    }
    steady_ += seconds;
    wall_ += seconds;
  }
  // Steps of a line class that were told, in their order.
  std::vector<std::int64_t> Steps(const std::string& name,
                                  LineClass line_class = LineClass::kTrain) {
    std::vector<std::int64_t> out;
    for (const StepRecord& s : steps_[name]) {
      if (s.line_class == line_class) out.push_back(s.step);
    }
    return out;
  }

  InMemoryFileSource files_;
  TracedSource traced_{&files_};
  RecordStore store_{"/vol", RecordOptions(), &traced_};
  double steady_ = 100;
  double wall_ = 1750001000;
  std::map<std::string, std::shared_ptr<const RecordedRun>> runs_;
  std::map<std::string, bool> up_;
  std::map<std::string, std::vector<StepRecord>> steps_;
  std::vector<std::string> removed_;
};

}  // namespace rlrun
