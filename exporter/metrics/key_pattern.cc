#include "exporter/metrics/key_pattern.h"

#include <algorithm>
#include <cstddef>

#include "exporter/exposition/text.h"

namespace rlrun {
namespace {

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> segments;
  while (true) {
    const std::size_t slash = text.find('/');
    segments.push_back(text.substr(0, slash));
    if (slash == std::string_view::npos) return segments;
    text.remove_prefix(slash + 1);
  }
}

// The text from the first to the last of neighbouring segments.
std::string_view Join(std::string_view first, std::string_view last) {
  return {first.data(),
          static_cast<std::size_t>(last.data() + last.size() - first.data())};
}

std::string CheckLabel(const std::string& name) {
  if (!IsValidLabelName(name)) return "`" + name + "` is no label name";
  if (name == "run" || name == "project" || name == "key") {
    return "the label `" + name + "` is taken";
  }
  return {};
}

}  // namespace

std::string KeyPattern::Parse(const KeyTemplate& source, KeyPattern* pattern) {
  const auto is_name_char = [](char c) {
    return IsValidMetricName({&c, 1}) || (c >= '0' && c <= '9');
  };
  if (source.family.empty() ||
      !std::all_of(source.family.begin(), source.family.end(), is_name_char) ||
      source.family.find(':') != std::string::npos) {
    return "`" + source.family + "` is no family name";
  }
  KeyPattern parsed;
  const std::vector<std::string_view> segments = Split(source.pattern);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    std::string problem = parsed.AddPart(segments[i], i + 1 == segments.size());
    if (!problem.empty()) return problem;
  }
  std::vector<std::string> names = parsed.label_names_;
  if (!source.fixed_label.empty()) {
    if (source.fixed_value.empty()) return "the fixed label has no value";
    names.push_back(source.fixed_label);
  }
  if (names.empty()) return "the pattern has no placeholder";
  for (const std::string& name : names) {
    std::string problem = CheckLabel(name);
    if (!problem.empty()) return problem;
    if (std::count(names.begin(), names.end(), name) > 1) {
      return "the label `" + name + "` occurs twice";
    }
  }
  *pattern = std::move(parsed);
  return {};
}

std::string KeyPattern::AddPart(std::string_view text, bool last) {
  if (text.find_first_of("<>") == std::string_view::npos) {
    parts_.push_back({Kind::kLiteral, std::string(text)});
    return {};
  }
  if (text.size() < 3 || text.front() != '<' || text.back() != '>') {
    return "a placeholder fills a whole segment: `" + std::string(text) + "`";
  }
  std::string_view name = text.substr(1, text.size() - 2);
  Kind kind = Kind::kOne;
  if (name.ends_with("...")) {
    kind = Kind::kMany;
    name.remove_suffix(3);
    if (std::any_of(parts_.begin(), parts_.end(),
                    [](const Part& p) { return p.kind == Kind::kMany; })) {
      return "only one placeholder may end in `...`";
    }
  } else if (name.ends_with("@")) {
    kind = Kind::kAt;
    name.remove_suffix(1);
    if (!last) return "a placeholder with `@` stands at the end";
  }
  parts_.push_back({kind, {}});
  label_names_.emplace_back(name);
  return {};
}

bool KeyPattern::Matches(std::string_view key,
                         std::vector<std::string_view>* values) const {
  values->clear();
  std::vector<std::string_view> segments = Split(key);
  std::size_t parts = parts_.size();
  std::string_view statistic;
  if (parts_.back().kind == Kind::kAt) {
    const auto at = std::find_if(
        segments.rbegin(), segments.rend(), [](std::string_view segment) {
          return segment.find('@') != std::string_view::npos;
        });
    if (at == segments.rend()) return false;
    statistic = Join(*at, segments.back());
    segments.erase(at.base() - 1, segments.end());
    --parts;
  }
  const auto many =
      std::find_if(parts_.begin(), parts_.end(),
                   [](const Part& p) { return p.kind == Kind::kMany; });
  const bool exact = many == parts_.end();
  if (exact ? segments.size() != parts : segments.size() < parts) return false;
  // Segments that the `...` takes beyond one.
  const std::size_t extra = segments.size() - parts;
  std::size_t s = 0;
  for (std::size_t p = 0; p < parts; ++p, ++s) {
    std::string_view text = segments[s];
    if (parts_[p].kind == Kind::kLiteral) {
      if (text != parts_[p].literal) return false;
      continue;
    }
    if (parts_[p].kind == Kind::kMany) {
      text = Join(segments[s], segments[s + extra]);
      s += extra;
    }
    if (text.empty()) return false;
    values->push_back(text);
  }
  if (!statistic.empty()) values->push_back(statistic);
  return true;
}

}  // namespace rlrun
