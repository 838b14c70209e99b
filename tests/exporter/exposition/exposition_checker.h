// A small reader of expositions for tests, written from the format's text and
// sharing nothing with the writer: it says what is wrong, and which samples
// there are.
// Pure; safe to call from any thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rlrun {

struct CheckedExposition {
  std::vector<std::string> errors;
  // `name{a="b"}` with the labels sorted by name and unescaped -> number text.
  std::map<std::string, std::string> samples;
  std::map<std::string, std::string> types;  // family as its TYPE line names it
  std::map<std::string, std::string> helps;  // still escaped
  std::vector<std::string> families;         // in the order of the text
};

namespace checker {

struct Sample {
  std::string name;
  std::map<std::string, std::string> labels;
  std::string value;
  std::string error;
};

inline bool IsName(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
             ":") == std::string_view::npos;
}

// Decodes code points; knows no tricks.
inline bool IsUtf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t more = lead < 0x80   ? 0
                             : lead < 0xC0 ? 9
                             : lead < 0xE0 ? 1
                             : lead < 0xF0 ? 2
                             : lead < 0xF8 ? 3
                                           : 9;
    if (more == 9 || i + more >= text.size()) return false;
    unsigned long code = more == 0 ? lead : lead & (0x3Fu >> more);
    for (std::size_t k = 1; k <= more; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xC0) != 0x80) return false;
      code = code << 6 | (next & 0x3Fu);
    }
    const unsigned long least[] = {0, 0x80, 0x800, 0x10000};
    if (code < least[more] || code > 0x10FFFF) return false;
    if (code >= 0xD800 && code <= 0xDFFF) return false;
    i += more + 1;
  }
  return true;
}

inline Sample ReadSample(std::string_view line) {
  Sample sample;
  std::size_t i = line.find_first_of("{ ");
  if (i == std::string_view::npos) return {{}, {}, {}, "no value"};
  sample.name = std::string(line.substr(0, i));
  if (line[i] == '{') {
    ++i;
    while (i < line.size() && line[i] != '}') {
      const std::size_t equals = line.find("=\"", i);
      if (equals == std::string_view::npos) return {{}, {}, {}, "no ="};
      const std::string name(line.substr(i, equals - i));
      std::string value;
      for (i = equals + 2; i < line.size() && line[i] != '"'; ++i) {
        if (line[i] != '\\') {
          value.push_back(line[i]);
          continue;
        }
        const char c = ++i < line.size() ? line[i] : '?';
        if (c != 'n' && c != '\\' && c != '"') return {{}, {}, {}, "escape"};
        value.push_back(c == 'n' ? '\n' : c);
      }
      ++i;
      if (!IsName(name) || name.find(':') != std::string::npos) {
        return {{}, {}, {}, "label name " + name};
      }
      if (value.empty()) return {{}, {}, {}, "empty label " + name};
      if (!IsUtf8(value)) return {{}, {}, {}, "UTF-8 in label " + name};
      if (!sample.labels.emplace(name, value).second) {
        return {{}, {}, {}, "label twice: " + name};
      }
      if (i < line.size() && line[i] == ',') ++i;
    }
    if (i >= line.size()) return {{}, {}, {}, "no }"};
    ++i;
  }
  if (i >= line.size() || line[i] != ' ') return {{}, {}, {}, "no space"};
  sample.value = std::string(line.substr(i + 1));
  if (sample.value.empty() ||
      sample.value.find_first_not_of("0123456789+-.eENaInf") !=
          std::string::npos) {
    sample.error = "value " + sample.value;
  }
  if (!IsName(sample.name)) sample.error = "name " + sample.name;
  return sample;
}

// Whether a sample of that name belongs to a family of that name and type.
inline bool Belongs(const std::string& sample, const std::string& family,
                    const std::string& type, bool open_metrics) {
  if (type == "counter") {
    return sample == (open_metrics ? family + "_total" : family);
  }
  if (type == "histogram") {
    return sample == family + "_bucket" || sample == family + "_sum" ||
           sample == family + "_count";
  }
  return sample == family;
}

}  // namespace checker

// `text` is a whole answer; with `# EOF` in OpenMetrics.
inline CheckedExposition CheckExposition(std::string_view text,
                                         bool open_metrics) {
  CheckedExposition result;
  std::string family;
  std::set<std::string> metadata;  // `TYPE name`
  bool in_samples = false;
  bool ended = false;
  const auto wrong = [&](std::string_view line, const std::string& what) {
    result.errors.push_back(what + ": " + std::string(line));
  };
  if (!text.empty() && text.back() != '\n') wrong("", "no newline at the end");
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (ended) wrong(line, "behind # EOF");
    if (line == "# EOF") {
      ended = true;
      if (!open_metrics) wrong(line, "not in 0.0.4");
      continue;
    }
    if (line.starts_with("# ")) {
      const std::string kind(line.substr(2, 4));
      std::string_view rest =
          line.substr(std::min<std::size_t>(7, line.size()));
      const std::string name(rest.substr(0, rest.find(' ')));
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
      if (kind != "HELP" && kind != "TYPE" && kind != "UNIT") {
        wrong(line, "comment");
      }
      if (kind == "UNIT" && !open_metrics) wrong(line, "UNIT in 0.0.4");
      if (kind == "UNIT" && !name.ends_with("_" + std::string(rest))) {
        wrong(line, "unit is no suffix");
      }
      if (!checker::IsName(name)) wrong(line, "name");
      if (!checker::IsUtf8(rest)) wrong(line, "UTF-8");
      if (!metadata.insert(kind + " " + name).second) wrong(line, "twice");
      if (kind == "TYPE") result.types[name] = std::string(rest);
      if (kind == "HELP") result.helps[name] = std::string(rest);
      if (name != family) {
        if (!in_samples && !family.empty())
          wrong(line, "family without sample");
        result.families.push_back(name);
      } else if (in_samples) {
        wrong(line, "metadata behind samples");
      }
      family = name;
      in_samples = false;
      continue;
    }
    const checker::Sample sample = checker::ReadSample(line);
    if (!sample.error.empty()) {
      wrong(line, sample.error);
      continue;
    }
    in_samples = true;
    if (!result.types.contains(family)) wrong(line, "no TYPE");
    if (!checker::Belongs(sample.name, family, result.types[family],
                          open_metrics)) {
      wrong(line, "not of family " + family);
    }
    std::string series = sample.name + "{";
    for (const auto& [name, value] : sample.labels) {
      series += name + "=\"" + value + "\",";
    }
    if (series.back() == ',') series.pop_back();
    series += "}";
    if (!result.samples.emplace(series, sample.value).second) {
      wrong(line, "series twice");
    }
  }
  if (open_metrics && !ended) wrong("", "no # EOF");
  std::set<std::string> names(result.families.begin(), result.families.end());
  if (names.size() != result.families.size()) wrong("", "family in two places");
  return result;
}

}  // namespace rlrun
