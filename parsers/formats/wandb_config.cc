#include "parsers/formats/wandb_config.h"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <utility>

#include "parsers/formats/verl_config.h"
#include "parsers/values/python_literal.h"

namespace rlrun {
namespace {

constexpr unsigned kFlags = rapidjson::kParseNanAndInfFlag |
                            rapidjson::kParseNumbersAsStringsFlag |
                            rapidjson::kParseIterativeFlag;

void AppendQuoted(std::string_view text, std::string* out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  *out += '\'';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') {
      *out += '\\';
      *out += c;
    } else if (byte < 0x20) {
      *out += "\\x";
      *out += kHex[byte >> 4];
      *out += kHex[byte & 15u];
    } else {
      *out += c;
    }
  }
  *out += '\'';
}

// Writes the events of one JSON value; a comma stands behind every item.
class PythonWriter {
 public:
  using Ch = char;
  explicit PythonWriter(std::string* out) : out_(*out) {}

  bool Null() { return Put("None"); }
  bool Bool(bool b) { return Put(b ? "True" : "False"); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view number(text, size);
    if (number.find('N') != std::string_view::npos) return Put("nan");
    if (number.find('I') == std::string_view::npos) return Put(number);
    return Put(number.front() == '-' ? "-inf" : "inf");
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    AppendQuoted({text, size}, &out_);
    return Put("");
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    AppendQuoted({text, size}, &out_);
    out_ += ": ";
    return true;
  }
  bool StartObject() { return Open('{'); }
  bool StartArray() { return Open('['); }
  bool EndObject(rapidjson::SizeType) { return Close("}"); }
  bool EndArray(rapidjson::SizeType) { return Close("]"); }

  // Never called with numbers as text, but the reader needs them.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }

 private:
  bool Put(std::string_view text) {
    out_ += text;
    if (depth_ != 0) out_ += ", ";
    return true;
  }
  bool Open(char bracket) {
    out_ += bracket;
    ++depth_;
    return true;
  }
  bool Close(std::string_view bracket) {
    --depth_;
    return Put(bracket);
  }

  std::string& out_;
  std::size_t depth_ = 0;
};

}  // namespace

std::optional<std::string> PythonOfJson(std::string_view json) {
  std::string out;
  PythonWriter writer(&out);
  rapidjson::MemoryStream bytes(json.data(), json.size());
  rapidjson::Reader reader;
  if (reader.Parse<kFlags>(bytes, writer).IsError()) return std::nullopt;
  return out;
}

bool WandbConfig::Set(std::string_view key, std::string_view json) {
  if (key.empty() || key == "_wandb") return false;
  std::optional<std::string> value = PythonOfJson(json);
  if (!value) return false;
  const auto it = items_.find(key);
  if (it != items_.end() && it->second == *value) return false;
  const std::size_t before =
      it == items_.end() ? 0 : it->first.size() + it->second.size();
  const std::size_t after = key.size() + value->size();
  if (bytes_ - before + after > kMaxBytes) return false;
  bytes_ += after - before;
  items_.insert_or_assign(std::string(key), std::move(*value));
  return true;
}

std::optional<RunFacts> WandbConfig::Facts(RunMode mode) const {
  const auto has = [this](std::string_view section) {
    const auto it = items_.lower_bound(section);
    return it != items_.end() && it->first.starts_with(section);
  };
  if (!(has("trainer") && has("data")) && !has("actor_rollout_ref")) {
    return std::nullopt;
  }
  std::string text = "{";
  for (const auto& [key, value] : items_) {
    AppendQuoted(key, &text);
    text += ": " + value + ", ";
  }
  text += "}";
  PyLimits limits;
  limits.bytes = 4 * kMaxBytes;  // quotes and escapes are longer there
  PyDocument document;
  if (document.Parse(text, limits) != PyStatus::kOk) return std::nullopt;
  return FactsFromConfig(document.root(), true, mode);
}

}  // namespace rlrun
