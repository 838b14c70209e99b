#include "parsers/formats/verl_overrides.h"

#include <algorithm>

#include "parsers/formats/verl_config.h"
#include "parsers/lines/payload.h"
#include "parsers/values/python_literal.h"

namespace rlrun {
namespace {

constexpr std::string_view kErrorFront = "Error executing job with overrides:";

bool IsKeyByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '/' || c == '@';
}

std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "'";
}

bool IsQuoted(std::string_view text) {
  return text.size() >= 2 && (text[0] == '\'' || text[0] == '"') &&
         text.back() == text[0];
}

// One value without brackets, as a python literal.
std::string LiteralOf(std::string_view value) {
  value = TrimBlanks(value);
  if (IsQuoted(value)) return Quoted(value.substr(1, value.size() - 2));
  if (value == "null" || value == "None") return "None";
  if (value == "true" || value == "True") return "True";
  if (value == "false" || value == "False") return "False";
  return Quoted(value);  // numbers in text are read as numbers
}

// `[a, 'b']`; what stands in deeper brackets is of no interest.
std::string ListLiteralOf(std::string_view inside) {
  std::string out = "[";
  while (!inside.empty()) {
    const std::size_t comma = std::min(inside.find(','), inside.size());
    out += LiteralOf(inside.substr(0, comma)) + ",";
    inside.remove_prefix(std::min(comma + 1, inside.size()));
  }
  return out + "]";
}

// The overrides as one python dict of dotted keys.
std::string DictLiteralOf(std::span<const std::string> words) {
  std::string out = "{";
  for (std::string_view word : words) {
    while (word.starts_with('+')) word.remove_prefix(1);
    std::size_t size = 0;
    while (size < word.size() && IsKeyByte(word[size])) ++size;
    if (size == 0 || size == word.size() || word[size] != '=') continue;
    const std::string_view value = TrimBlanks(word.substr(size + 1));
    const bool is_list = value.starts_with('[') && value.ends_with(']');
    out += Quoted(word.substr(0, size)) + ":" +
           (is_list ? ListLiteralOf(value.substr(1, value.size() - 2))
                    : LiteralOf(value)) +
           ",";
  }
  return out + "}";
}

RunMode ModeOfWords(std::span<const std::string> words) {
  for (const std::string_view word : words) {
    const auto names = [&](std::string_view name) {
      return word.find('=') == std::string_view::npos &&
             word.find(name) != std::string_view::npos;
    };
    if (names("fully_async_main")) return RunMode::kAsync;
    if (names("main_ppo")) return RunMode::kSync;
    if (names("sft_trainer")) return RunMode::kSft;
  }
  return RunMode::kUnknown;
}

}  // namespace

std::optional<std::vector<std::string>> ParseErrorOverrides(
    std::string_view payload) {
  if (!payload.starts_with(kErrorFront)) return std::nullopt;
  std::vector<std::string> overrides;
  PyDocument document;
  // A list that was cut while it was copied is read as far as it goes.
  document.Parse(payload.substr(kErrorFront.size()));
  if (document.root().kind() != PyValue::Kind::kList) return overrides;
  for (PyValue v = document.root().First(); v.present(); v = v.Next()) {
    if (const auto text = v.AsString()) overrides.emplace_back(*text);
  }
  return overrides;
}

std::vector<std::string> SplitCommand(std::string_view command) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < command.size(); ++i) {
    char c = command[i];
    const bool is_blank = c == ' ' || c == '\t' || c == '\n';
    if (quote == '\0' && is_blank) {
      in_word = false;
      continue;
    }
    if (quote != '\'' && c == '\\' && i + 1 < command.size()) {
      c = command[++i];
      if (c == '\n') continue;
      if (quote == '"' && c != '"' && c != '\\' && c != '$' && c != '`') {
        words.back() += '\\';
      }
    } else if (c == quote || (quote == '\0' && (c == '\'' || c == '"'))) {
      quote = c == quote ? '\0' : c;
      if (!in_word) words.emplace_back();
      in_word = true;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    words.back() += c;
  }
  return words;
}

RunFacts FactsFromOverrides(std::span<const std::string> words) {
  PyDocument document;
  if (document.Parse(DictLiteralOf(words)) != PyStatus::kOk) return {};
  return FactsFromConfig(document.root(), /*is_whole=*/false,
                         ModeOfWords(words));
}

}  // namespace rlrun
