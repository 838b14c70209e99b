// What a run was told on its command line: hydra overrides, the weakest source
// of run facts, since they name only what differs from defaults.
//
//   Error executing job with overrides: ['trainer.nnodes=2', 'data.a=null']
//   python3 -m verl.trainer.main_ppo trainer.nnodes=2 "data.files=[a,b]"
//
// Accepts: `KEY=VALUE` with `+` or `++` in front; VALUE as hydra reads it: a
//   number, true, false, null, quoted or bare text, `[a, b]`. Shell quotes of a
//   command line, `\` at a line end.
// Ignores: options, `~KEY`, words without `=`, environment in front of a
//   command: its names have no dot and stay without effect.
// Rejects: a list that is no python list of strings (no facts).
// Pure; safe to call from any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/model/run_facts.h"

namespace rlrun {

// The overrides that hydra prints when a job fails; nothing: another line.
std::optional<std::vector<std::string>> ParseErrorOverrides(
    std::string_view payload);

// The words of a shell command, quotes and escapes resolved; a word whose quote
// is never closed goes to the end.
std::vector<std::string> SplitCommand(std::string_view command);

// What overrides, or the words of a command, state. The mode is told by the
// name of a trainer among the words, or by keys that only one mode has.
RunFacts FactsFromOverrides(std::span<const std::string> words);

}  // namespace rlrun
