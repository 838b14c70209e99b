// The exporter's own log: logfmt or JSON lines on standard error. Only app
// logs; every other room reports.
// Safe to call from any thread.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace rlrun {

enum class LogLevel { kDebug, kInfo, kWarn, kError };

using LogField = std::pair<std::string_view, std::string>;

// `level`: debug, info, warn, error; `format`: logfmt, json. False: neither is
// known; nothing changes then.
bool SetupLog(std::string_view level, std::string_view format);

// One line: time, level, message, fields in order.
void Log(LogLevel level, std::string_view message,
         std::initializer_list<LogField> fields = {});

// The fields as they are written, for tests: ` msg="..." key=value`.
std::string FormatLogfmt(std::string_view message,
                         std::initializer_list<LogField> fields);
std::string FormatJson(std::string_view message,
                       std::initializer_list<LogField> fields);

}  // namespace rlrun
