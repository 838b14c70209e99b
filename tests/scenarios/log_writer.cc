#include "tests/scenarios/log_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace rlrun::scenarios {
namespace {

std::string PythonFloat(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

// splitmix64.
std::uint64_t Random::Next() {
  state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double Random::Uniform(double low, double high) {
  constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
  return low + (high - low) * (static_cast<double>(Next() >> 11) * kUnit);
}

std::int64_t Random::Integer(std::int64_t low, std::int64_t high) {
  const auto span = static_cast<std::uint64_t>(high - low) + 1;
  return low + static_cast<std::int64_t>(Next() % span);
}

void Pairs::Put(std::string key, const std::string& printed, double value) {
  text_ += " - " + key + ":" + printed;
  values_.emplace_back(std::move(key), value);
}

void Pairs::Float(std::string key, double value) {
  Put(std::move(key), PythonFloat(value), value);
}

void Pairs::Fixed(std::string key, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.3f", value);
  Put(std::move(key), buffer, std::strtod(buffer, nullptr));
}

void Pairs::Int(std::string key, std::int64_t value) {
  Put(std::move(key), std::to_string(value), static_cast<double>(value));
}

void Pairs::Numpy(std::string key, std::string_view type, double value) {
  const bool whole = type.find("int") != std::string_view::npos;
  const std::string number =
      whole ? std::to_string(std::llround(value)) : PythonFloat(value);
  Put(std::move(key), "np." + std::string(type) + "(" + number + ")",
      whole ? static_cast<double>(std::llround(value)) : value);
}

void Pairs::Bool(std::string key, bool value) {
  Put(std::move(key), value ? "True" : "False", value ? 1 : 0);
}

void Pairs::Text(std::string_view key, std::string_view text) {
  text_.append(" - ").append(key).append(":").append(text);
  ++not_a_number_;
}

void LogWriter::Raw(std::string_view bytes) { pending_ += bytes; }

void LogWriter::Line(std::string_view text) {
  pending_.append(prefix_).append(text).push_back('\n');
}

void LogWriter::PlainLine(std::string_view text) {
  pending_.append(text).push_back('\n');
}

void LogWriter::Step(std::int64_t step, const Pairs& pairs,
                     const Dress& dress) {
  const std::string line = prefix_ + dress.before +
                           "step:" + std::to_string(step) + pairs.text() +
                           dress.behind + dress.end;
  if (dress.halves) {
    Flush();
    const std::size_t half = line.size() / 2;
    pending_ += line.substr(0, half);
    Flush();
    pending_ += line.substr(half);
  } else {
    pending_ += line;
  }
  auto& values = run_.ledger.steps[step];
  for (const auto& [key, value] : pairs.values()) values[key] = value;
  ++run_.ledger.step_lines;
  run_.ledger.not_a_number += pairs.not_a_number();
  if (dress.behind_is_glue) ++run_.ledger.glued_values;
}

void LogWriter::Flush() {
  if (pending_.empty()) return;
  run_.chunks.push_back({std::move(pending_), false});
  pending_.clear();
}

void LogWriter::EndStep() {
  Flush();
  if (!run_.chunks.empty()) run_.chunks.back().ends_step = true;
}

SampleRun LogWriter::Take() {
  Flush();
  std::size_t length = 0;
  for (const Chunk& chunk : run_.chunks) {
    for (const char c : chunk.bytes) {
      length = c == '\n' ? 0 : length + 1;
      run_.ledger.longest_line =
          std::max<std::uint64_t>(run_.ledger.longest_line, length);
    }
  }
  return std::exchange(run_, {});
}

std::string ActorPrefix(std::string_view actor, int pid, std::string_view ip) {
  std::string text =
      "\x1b[36m(" + std::string(actor) + " pid=" + std::to_string(pid);
  if (!ip.empty()) text += ", ip=" + std::string(ip);
  return text + ")\x1b[0m ";
}

}  // namespace rlrun::scenarios
