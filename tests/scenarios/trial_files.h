// The files of one trial directory. Pure; safe to call from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rlrun::scenarios {

struct Trial {
  std::string task;              // `django__django-11099`
  std::string name;              // `<task>-<8 hex>`
  std::int64_t started = 0;      // Unix time
  int seconds = 0;               // that it took
  std::optional<double> reward;  // absent: it was not scored
  std::string exception;         // type; empty: none
};

std::string TrialConfigJson(const Trial& trial);
std::string TrialResultJson(const Trial& trial);

}  // namespace rlrun::scenarios
