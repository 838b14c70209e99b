// The runbooks of alerts/runbooks, as they were when this was built: what a
// finding means, its likely causes, what to do now and in the next run. So a
// page can show them where there is no network.
// Pure; safe from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rlrun {

struct Runbook {
  std::string_view name;  // of the alert: `RLRunNoSignal`
  std::string_view text;  // Markdown, without PROJECT and RUN filled in
};

// The words of a runbook in front of its queries that say where PROJECT and RUN
// come from.
inline constexpr std::string_view kUnfilled =
    " PROJECT and RUN are the labels `project` and `run` of the\nalert; where "
    "it has no `project`, PROJECT is empty.";

// The text with its queries about that run: to be pasted as they are.
std::string FillRunbook(const Runbook& runbook, std::string_view project,
                        std::string_view run);

// In the order of their names; made of the files by cmake/runbooks.cmake.
std::span<const Runbook> Runbooks();

// Null: there is none of that name.
const Runbook* FindRunbook(std::string_view name);

// `no_signal` as `RLRunNoSignal`; of a check (`num_turns`) as
// `RLRunCheckNumTurns`.
std::string RunbookOfSignature(std::string_view signature);
std::string RunbookOfCheck(std::string_view check);

}  // namespace rlrun
