// Writes a RunTree into a file system in memory: each file was last modified
// when its event was. Missing folders are made. Safe as InMemoryFileSource is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/scenarios/run_tree.h"
#include "tests/support/in_memory_file_source.h"

namespace rlrun::scenarios {

class MemorySink : public Sink {
 public:
  explicit MemorySink(InMemoryFileSource* source) : source_(source) {}

  // Unix seconds, of what is written from now on: RunTree::NextAt().
  void SetTime(double at) override {
    at_ns_ = static_cast<std::int64_t>(at * 1e9);
  }

  void Append(const std::string& path, std::string_view bytes) override {
    source_->Mkdir(path.substr(0, path.rfind('/')));
    source_->Append(path, bytes);
    source_->SetMtime(path, at_ns_);
  }
  void Truncate(const std::string& path) override {
    source_->Truncate(path);
    source_->SetMtime(path, at_ns_);
  }
  void Replace(const std::string& path, std::string_view bytes) override {
    source_->Mkdir(path.substr(0, path.rfind('/')));
    source_->Write(path, bytes);
    source_->SetMtime(path, at_ns_);
  }

 private:
  InMemoryFileSource* source_;
  std::int64_t at_ns_ = 0;
};

}  // namespace rlrun::scenarios
