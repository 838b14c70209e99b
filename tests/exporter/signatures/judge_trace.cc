// Prints what the judge finds in a log, one JSON object per judged training
// line: {"i":index,"step":N,"rules":{name:level},"raw":{name:level or null},
// "checks":{name:failing steps or null}}. A validation on a line of its own
// prints one with "val":true. For comparisons with other implementations.
// Exit 1: the file cannot be read.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>

#include "exporter/signatures/check.h"
#include "exporter/signatures/judge.h"
#include "parsers/formats/log_format.h"
#include "parsers/lines/line_splitter.h"

namespace rlrun {
namespace {

class Tracer {
 public:
  void Read(const std::string& text) {
    const auto format =
        MakeLogFormat(SniffFormat(std::string_view(text).substr(0, 65536)));
    LineSplitter splitter;
    const auto lines = [&](std::span<const Line> batch) {
      for (const Line& line : batch) {
        LogFacts facts;
        format->ParseLines(std::span(&line, 1), &facts);
        Take(facts);
      }
    };
    splitter.Feed(text, lines);
    if (splitter.has_tail()) splitter.Feed("\n", lines);
  }

 private:
  void Take(const LogFacts& facts) {
    if (facts.run_facts) stated_ = *facts.run_facts;
    if (facts.total_steps) total_ = facts.total_steps;
    if (facts.run_facts || facts.total_steps) {
      auto known = std::make_shared<RunFacts>(stated_);
      if (!known->total_steps) known->total_steps = total_;
      judge_.SetFacts(std::move(known));
    }
    for (const StepRecord& record : facts.steps) {
      bool training = false;
      for (const StepRecord::Pair& pair : record.pairs) {
        const std::string_view key = record.Key(pair);
        training = training || key.starts_with("actor/") ||
                   key.starts_with("critic/") || key.starts_with("train/");
      }
      judge_.Apply(record);
      const bool val = record.line_class == LineClass::kVal;
      if (training || val) Print(record.step, val);
    }
  }

  void Print(std::int64_t step, bool val) {
    const Judgement judgement = judge_.StepJudgement();
    std::string out = "{\"i\":" + std::to_string(index_++) +
                      ",\"step\":" + std::to_string(step);
    if (val) out += ",\"val\":true";
    std::string rules, raw, checks;
    for (const StepRule& rule : table_) {
      const std::string name = Named(rule.name, &rules);
      const Finding* finding = judgement.find(rule.name);
      rules += name + Quoted(finding ? LevelName(finding->level) : "absent");
      Named(rule.name, &raw);
      const auto level = judge_.raw_level(rule.name);
      raw += name + (level ? Quoted(LevelName(*level)) : "null");
    }
    for (const Check& check : Checks()) {
      std::string value = "null";
      for (const CheckResult& result : judgement.checks) {
        if (result.name == check.name) {
          value = std::to_string(result.failing_steps);
        }
      }
      const std::string name = Named(check.name, &checks);
      checks += name + value;
    }
    std::printf("%s,\"rules\":{%s},\"raw\":{%s},\"checks\":{%s}}\n",
                out.c_str(), rules.c_str(), raw.c_str(), checks.c_str());
  }

  // `"name":`, and the comma in front of it where `object` has members.
  static std::string Named(std::string_view name, std::string* object) {
    if (!object->empty()) *object += ',';
    return Quoted(name) + ':';
  }
  static std::string Quoted(std::string_view text) {
    return '"' + std::string(text) + '"';
  }

  const std::vector<StepRule> table_ = AllStepRules();
  Judge judge_{nullptr};
  RunFacts stated_;
  std::optional<std::int64_t> total_;
  std::size_t index_ = 0;
};

}  // namespace
}  // namespace rlrun

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  std::ifstream in(argv[1], std::ios::binary);
  if (!in.is_open()) return 1;
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  rlrun::Tracer().Read(text);
  return 0;
}
