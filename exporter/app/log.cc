#include "exporter/app/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>

namespace rlrun {
namespace {

std::atomic<bool> g_json{false};

// A quoted string that is valid in both formats. Bytes that are no printable
// ASCII are escaped, so hostile names cannot break a line or a terminal.
void AppendQuoted(std::string* out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  *out += '"';
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      *out += '\\';
      *out += c;
    } else if (c == '\n') {
      *out += "\\n";
    } else if (u < 0x20 || u == 0x7f) {
      *out += "\\u00";
      *out += kHex[u >> 4];
      *out += kHex[u & 15];
    } else {
      *out += c;
    }
  }
  *out += '"';
}

bool NeedsQuotes(std::string_view text) {
  if (text.empty()) return true;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (u <= 0x20 || u >= 0x7f || c == '"' || c == '\\' || c == '=') {
      return true;
    }
  }
  return false;
}

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      break;
  }
  return spdlog::level::err;
}

}  // namespace

std::string FormatLogfmt(std::string_view message,
                         std::initializer_list<LogField> fields) {
  std::string out = "msg=";
  AppendQuoted(&out, message);
  for (const auto& [key, value] : fields) {
    out += ' ';
    out += key;
    out += '=';
    if (NeedsQuotes(value)) {
      AppendQuoted(&out, value);
    } else {
      out += value;
    }
  }
  return out;
}

std::string FormatJson(std::string_view message,
                       std::initializer_list<LogField> fields) {
  std::string out = "\"msg\":";
  AppendQuoted(&out, message);
  for (const auto& [key, value] : fields) {
    out += ',';
    AppendQuoted(&out, key);
    out += ':';
    AppendQuoted(&out, value);
  }
  return out;
}

bool SetupLog(std::string_view level, std::string_view format) {
  spdlog::level::level_enum threshold;
  if (level == "debug") {
    threshold = spdlog::level::debug;
  } else if (level == "info") {
    threshold = spdlog::level::info;
  } else if (level == "warn") {
    threshold = spdlog::level::warn;
  } else if (level == "error") {
    threshold = spdlog::level::err;
  } else {
    return false;
  }
  if (format != "logfmt" && format != "json") return false;
  g_json = format == "json";
  auto logger = std::make_shared<spdlog::logger>(
      "rlrun", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_level(threshold);
  logger->flush_on(spdlog::level::debug);
  logger->set_pattern(
      g_json ? "{\"ts\":\"%Y-%m-%dT%H:%M:%S.%eZ\",\"level\":\"%l\",%v}"
             : "ts=%Y-%m-%dT%H:%M:%S.%eZ level=%l %v",
      spdlog::pattern_time_type::utc);
  spdlog::set_default_logger(std::move(logger));
  return true;
}

void Log(LogLevel level, std::string_view message,
         std::initializer_list<LogField> fields) {
  spdlog::log(
      ToSpdlog(level), "{}",
      g_json ? FormatJson(message, fields) : FormatLogfmt(message, fields));
}

}  // namespace rlrun
