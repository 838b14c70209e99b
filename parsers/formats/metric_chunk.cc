#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "parsers/formats/record_value.h"
#include "parsers/formats/run_record.h"

namespace rlrun {
namespace {

// A step as the key of an object: decimal digits.
std::optional<std::int64_t> StepOf(std::string_view key) {
  std::int64_t step = 0;
  const auto [end, error] =
      std::from_chars(key.data(), key.data() + key.size(), step);
  if (error != std::errc() || end != key.data() + key.size()) return {};
  return step;
}

// {"steps": {step: {key: value}}, "written": {step: {key: time}},
//  "step_keys": {step: {key: axis}}}; the three come in any order.
class ChunkVisitor : public JsonVisitor {
 public:
  explicit ChunkVisitor(MetricChunk* out) : out_(*out) {}

  void Number(const JsonPath& path, double value) override {
    if (path.depth != 3) return;
    const bool is_value = path.key[0] == "steps";
    if (!is_value && path.key[0] != "written") return;
    const auto step = StepOf(path.key[1]);
    if (!step) return;
    Entry& entry = entries_[*step][std::string(path.key[2])];
    if (is_value) {
      entry.value.value = value;
      entry.is_stated = true;
    } else if (RecordTime(value)) {
      entry.value.written = value;
    }
  }
  void Text(const JsonPath& path, std::string_view text) override {
    if (path.depth != 3 || path.key[0] != "step_keys") return;
    const auto step = StepOf(path.key[1]);
    if (!step) return;
    entries_[*step][std::string(path.key[2])].value.axis = RecordText(text);
  }
  void Finish() {
    for (auto& [step, keys] : entries_) {
      auto& values = out_.steps[step];
      for (auto& [key, entry] : keys) {
        if (entry.is_stated) values.emplace(key, std::move(entry.value));
      }
      if (values.empty()) out_.steps.erase(step);
    }
  }

 private:
  struct Entry {
    MetricChunk::Value value;
    bool is_stated = false;
  };
  MetricChunk& out_;
  std::map<std::int64_t, std::map<std::string, Entry>> entries_;
};

// {"items": [{"step": 3, "loss": 0.5, ...}]} or one item.
class StepsVisitor : public JsonVisitor {
 public:
  explicit StepsVisitor(MetricChunk* out) : out_(*out) {}

  void Begin(const JsonPath& path) override {
    if (path.depth == 2 && path.key[0] == "items") item_ = {};
  }
  void End(const JsonPath& path) override {
    if (path.depth == 2 && path.key[0] == "items") Finish();
  }
  void Number(const JsonPath& path, double value) override {
    const bool is_field =
        path.depth == 1 || (path.depth == 3 && path.key[0] == "items");
    if (!is_field) return;
    const std::string_view key = path.last();
    if (key == "step") {
      item_.step = Whole(value);
    } else if (key == "created_at") {
      item_.time = RecordTime(value);
    } else {
      item_.values[std::string(key)] = value;
    }
  }
  void Finish() {
    if (item_.step && !item_.values.empty()) {
      auto& values = out_.steps[*item_.step];
      for (const auto& [key, value] : item_.values) {
        values[key] = {value, item_.time.value_or(0), {}};
      }
    }
    item_ = {};
  }

 private:
  struct Item {
    std::optional<std::int64_t> step;
    std::optional<double> time;
    std::map<std::string, double> values;
  };
  MetricChunk& out_;
  Item item_;
};

template <class Visitor>
DocumentParse ParseAs(std::string text, MetricChunk* out) {
  MetricChunk chunk;
  Visitor visitor(&chunk);
  const DocumentParse parsed = ParseJsonDocument(std::move(text), &visitor);
  if (parsed != DocumentParse::kOk) return parsed;
  visitor.Finish();
  *out = std::move(chunk);
  return parsed;
}

}  // namespace

DocumentParse ParseMetricChunk(std::string text, MetricChunk* out) {
  return ParseAs<ChunkVisitor>(std::move(text), out);
}

DocumentParse ParseRecordedSteps(std::string text, MetricChunk* out) {
  return ParseAs<StepsVisitor>(std::move(text), out);
}

}  // namespace rlrun
