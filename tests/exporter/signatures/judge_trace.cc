// Prints what the judge finds in a log, one JSON object per judged training
// line: {"i":index,"step":N,"rules":{name:level},"raw":{name:level or null},
// "checks":{name:failing steps or null}}. A validation on a line of its own
// prints one with "val":true. For comparisons with other implementations.
// Behind the file: facts of the run, `name=value`. Exit 1: the file cannot be
// read, or there is no such fact.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "exporter/signatures/check.h"
#include "exporter/signatures/judge.h"
#include "parsers/formats/log_format.h"
#include "parsers/lines/line_splitter.h"

namespace rlrun {
namespace {

// `name=value` of a fact with a number, a flag or a text; false: no such fact.
bool TakeFact(std::string_view text, RunFacts* facts) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string value(text.substr(equals + 1));
  bool taken = false;
  ForEachRunFact([&](std::string_view name, auto field) {
    if (name != text.substr(0, equals)) return;
    auto& fact = facts->*field;
    using Type = typename std::decay_t<decltype(fact)>::value_type;
    if constexpr (std::is_same_v<Type, std::string>) {
      fact = value;
      taken = true;
    } else if constexpr (std::is_same_v<Type, bool>) {
      fact = value == "true";
      taken = true;
    } else if constexpr (std::is_arithmetic_v<Type>) {
      fact = static_cast<Type>(std::strtod(value.c_str(), nullptr));
      taken = true;
    }
  });
  return taken;
}

class Tracer {
 public:
  explicit Tracer(RunFacts given) : given_(std::move(given)), stated_(given_) {
    judge_.SetFacts(std::make_shared<RunFacts>(given_));
  }
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
    if (facts.run_facts) {
      RunFacts stated = given_;
      FillRunFacts(*facts.run_facts, &stated);
      stated_ = std::move(stated);
    }
    if (facts.total_steps) total_ = facts.total_steps;
    if (facts.run_facts || facts.total_steps) {
      auto known = std::make_shared<RunFacts>(stated_);
      if (!known->total_steps) known->total_steps = total_;
      judge_.SetFacts(std::move(known));
    }
    for (const StepRecord& record : facts.steps) Take(record);
  }

  void Take(const StepRecord& record) {
    bool training = false, val = false;
    for (const StepRecord::Pair& pair : record.pairs) {
      const std::string_view key = record.Key(pair);
      training = training || key.starts_with("actor/") ||
                 key.starts_with("critic/") || key.starts_with("train/");
      val = val || IsValidationKey(key);
    }
    const History& history = judge_.history();
    const bool late = history.steps() != 0 &&
                      history.newest().step == record.step &&
                      !record.pairs.empty();
    judge_.Apply(record);
    if (training) {
      Print(record.step, "");
    } else if (val) {
      Print(record.step, ",\"val\":true");
    } else if (late) {
      Print(record.step, ",\"late\":true");
    }
  }

  void Print(std::int64_t step, std::string_view kind) {
    const Judgement judgement = judge_.StepJudgement();
    std::string out = "{\"i\":" + std::to_string(index_++) +
                      ",\"step\":" + std::to_string(step);
    out += kind;
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
  RunFacts given_, stated_;
  std::optional<std::int64_t> total_;
  std::size_t index_ = 0;
};

}  // namespace
}  // namespace rlrun

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  rlrun::RunFacts given;
  for (int i = 2; i < argc; ++i) {
    if (!rlrun::TakeFact(argv[i], &given)) return 1;
  }
  std::ifstream in(argv[1], std::ios::binary);
  if (!in.is_open()) return 1;
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  rlrun::Tracer(std::move(given)).Read(text);
  return 0;
}
