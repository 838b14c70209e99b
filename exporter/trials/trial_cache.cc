#include "exporter/trials/trial_cache.h"

#include <array>
#include <boost/filesystem.hpp>
#include <charconv>
#include <cstdio>
#include <system_error>
#include <utility>
#include <vector>

namespace rlrun {
namespace {

constexpr std::string_view kVersion = "v1";
constexpr std::size_t kFixedFields = 6;  // in front of stages and tokens
constexpr std::size_t kFields =
    kFixedFields + kTrialStages + kTrialTokenKinds + 1;
constexpr std::string_view kLineEnd = ".";  // the last field of a whole line

// Tabs, line ends and `%` as `%09`.
std::string Escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\t' || c == '\n' || c == '\r' || c == '%') {
      std::array<char, 4> hex;
      std::snprintf(hex.data(), hex.size(), "%%%02X",
                    static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += hex.data();
    } else {
      out += c;
    }
  }
  return out;
}

std::string Unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16)
                .ptr == text.data() + i + 3) {
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

template <typename T>
void AppendNumber(const std::optional<T>& value, std::string* line) {
  line->push_back('\t');
  if (!value) return;
  std::array<char, 40> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), *value).ptr;
  line->append(text.data(), end);
}

template <typename T>
bool ReadNumber(std::string_view text, std::optional<T>* value) {
  value->reset();
  if (text.empty()) return true;
  T number{};
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  *value = number;
  return true;
}

std::vector<std::string_view> Split(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

bool ParseLine(std::string_view line, std::string* trial, TrialResult* r) {
  const std::vector<std::string_view> f = Split(line);
  if (f.size() != kFields || f[0] != kVersion || f.back() != kLineEnd) {
    return false;
  }
  *trial = Unescape(f[1]);
  std::size_t reason = 0;
  while (reason < kTrialReasons && kTrialReasonNames[reason] != f[2]) ++reason;
  if (reason == kTrialReasons || !ReadNumber(f[3], &r->reward)) return false;
  r->reason = static_cast<TrialReason>(reason);
  r->exception = Unescape(f[4]);
  r->task_path = Unescape(f[5]);
  for (std::size_t i = 0; i < kTrialStages; ++i) {
    if (!ReadNumber(f[kFixedFields + i], &r->seconds[i])) return false;
  }
  for (std::size_t i = 0; i < kTrialTokenKinds; ++i) {
    if (!ReadNumber(f[kFixedFields + kTrialStages + i], &r->tokens[i])) {
      return false;
    }
  }
  return true;
}

std::uint64_t Fnv(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return hash;
}

}  // namespace

TrialCache::TrialCache(const std::string& folder,
                       const std::string& directory) {
  if (folder.empty()) return;
  std::array<char, 32> name;
  std::snprintf(name.data(), name.size(), "%016llx.trials",
                static_cast<unsigned long long>(Fnv(directory)));
  boost::system::error_code error;
  boost::filesystem::create_directories(folder, error);
  const std::string path = folder + "/" + name.data();
  bool whole = true;
  {
    std::ifstream in(path, std::ios::binary);
    for (std::string line; std::getline(in, line);) {
      whole = !in.eof();
      std::string trial;
      TrialResult result;
      if (ParseLine(line, &trial, &result)) {
        lines_[std::move(trial)] = std::move(result);
      }
    }
  }
  out_.open(path, std::ios::binary | std::ios::app);
  if (!out_) error_ = path + ": cannot be written";
  if (!whole) out_ << '\n';  // the last writer was stopped in mid-line
}

std::optional<TrialResult> TrialCache::Take(std::string_view trial) {
  if (lines_.empty()) return std::nullopt;
  const auto it = lines_.find(std::string(trial));
  if (it == lines_.end()) return std::nullopt;
  std::optional<TrialResult> result = std::move(it->second);
  lines_.erase(it);
  return result;
}

void TrialCache::Keep(std::string_view trial, const TrialResult& result) {
  if (!out_.is_open()) return;
  std::string line(kVersion);
  line += '\t' + Escape(trial) + '\t';
  line += kTrialReasonNames[static_cast<std::size_t>(result.reason)];
  AppendNumber(result.reward, &line);
  line += '\t' + Escape(result.exception) + '\t' + Escape(result.task_path);
  for (const auto& seconds : result.seconds) AppendNumber(seconds, &line);
  for (const auto& tokens : result.tokens) AppendNumber(tokens, &line);
  line += '\t';
  line += kLineEnd;
  line += '\n';
  out_ << line;
}

}  // namespace rlrun
