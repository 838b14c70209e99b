#include "parsers/formats/dropped_trial.h"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace rlrun {
namespace {

constexpr unsigned kFlags =
    rapidjson::kParseNanAndInfFlag | rapidjson::kParseIterativeFlag;
constexpr std::size_t kMaxReason = 60;

class Handler
    : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Handler> {
 public:
  explicit Handler(DroppedTrial* out) : out_(*out) {}
  bool StartObject() { return ++depth_ > 0; }
  bool EndObject(rapidjson::SizeType) { return Close(); }
  bool StartArray() { return ++depth_ > 0; }
  bool EndArray(rapidjson::SizeType) { return Close(); }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (depth_ == 1) key_.assign(text, size);
    return true;
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    if (depth_ == 1 && key_ == "reason") {
      out_.reason.assign(text, std::min<std::size_t>(size, kMaxReason));
    }
    return true;
  }
  bool Bool(bool value) {
    if (depth_ == 1 && key_ == "validate") out_.validate = value;
    return true;
  }

 private:
  bool Close() {
    --depth_;
    return true;
  }
  DroppedTrial& out_;
  std::size_t depth_ = 0;
  std::string key_;
};

}  // namespace

bool ParseDroppedTrial(std::string_view line, DroppedTrial* out) {
  DroppedTrial trial;
  Handler handler(&trial);
  rapidjson::MemoryStream stream(line.data(), line.size());
  rapidjson::Reader reader;
  if (reader.Parse<kFlags>(stream, handler).IsError() || trial.reason.empty()) {
    return false;
  }
  *out = std::move(trial);
  return true;
}

}  // namespace rlrun
