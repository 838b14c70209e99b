// Any bytes as a python literal, and as the lines of a config block, of a
// banner and of a command. The tree is walked to its last node: counts agree,
// nothing points outside; a text that is cut gives no more than the whole one.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "parsers/formats/launch_banner.h"
#include "parsers/formats/verl_config.h"
#include "parsers/formats/verl_overrides.h"
#include "parsers/values/python_literal.h"
#include "tests/fuzz/check.h"

namespace rlrun {
namespace {

// Values in the tree below `value`, which is `depth` brackets deep.
std::size_t Walk(PyValue value, std::size_t depth) {
  RLRUN_CHECK(depth <= PyLimits().depth);
  const bool is_dict = value.kind() == PyValue::Kind::kDict;
  if (const auto text = value.AsString()) {
    for (const char c : *text) RLRUN_CHECK(c == c);
  }
  RLRUN_CHECK(value.AsDouble().has_value() ==
              (value.kind() == PyValue::Kind::kInt ||
               value.kind() == PyValue::Kind::kFloat));
  std::size_t children = 0;
  std::size_t values = 1;
  for (PyValue v = value.First(); v.present(); v = v.Next()) {
    values += Walk(v, depth + 1);
    ++children;
  }
  RLRUN_CHECK(children == value.size() * (is_dict ? 2 : 1));
  return values;
}

void ReadLiteral(std::string_view bytes) {
  PyDocument document;
  const PyStatus status = document.Parse(bytes);
  RLRUN_CHECK(document.error().empty() == (status == PyStatus::kOk));
  RLRUN_CHECK(document.error_at() <= bytes.size());
  if (!document.root().present()) {
    RLRUN_CHECK(status != PyStatus::kOk);
    return;
  }
  RLRUN_CHECK(status != PyStatus::kError);
  const std::size_t values = Walk(document.root(), 0);
  RLRUN_CHECK(values <= PyLimits().values);
  document.root().Find("trainer.nnodes");
  if (status != PyStatus::kOk) return;
  PyDocument part;
  const PyStatus of_part = part.Parse(bytes.substr(0, bytes.size() / 2));
  if (of_part == PyStatus::kCut && part.root().present()) {
    RLRUN_CHECK(Walk(part.root(), 0) <= values + 1);
  }
}

void ReadLines(std::string_view bytes) {
  VerlConfigBlock block;
  LaunchBanner banner;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view line = bytes.substr(0, end);
    ActorPrefix prefix;
    const std::string_view payload = SkipPrefixes(line, &prefix);
    const std::size_t indent = PayloadIndent(line, payload, prefix);
    RLRUN_CHECK(indent <= line.size());
    const auto outcome = block.Offer(payload, indent, prefix);
    RLRUN_CHECK(block.config().present() ||
                outcome != VerlConfigBlock::Outcome::kConfig);
    FactsFromConfig(block.config(), block.is_whole());
    banner.Offer(payload, prefix.present());
    if (const auto words = ParseErrorOverrides(payload)) {
      FactsFromOverrides(*words);
    }
    bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
  }
  if (block.Finish() == VerlConfigBlock::Outcome::kConfig) {
    FactsFromConfig(block.config(), block.is_whole());
  }
  banner.facts();
}

}  // namespace
}  // namespace rlrun

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace rlrun;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ReadLiteral(bytes);
  ReadLines(bytes);
  FactsFromOverrides(SplitCommand(bytes));
  return 0;
}
