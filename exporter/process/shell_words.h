// The text of a `sh -c` argument, cut into simple commands and words: enough to
// tell which programs it names, not a shell.
//   cd /w && EXP_NAME=a python -m verl.trainer.main_ppo 2>&1 | tee a.log
//   -> {cd, /w} {EXP_NAME=a, python, -m, verl.trainer.main_ppo} {tee, a.log}
// Accepts: both kinds of quotes, backslashes, ; & | ( ) { } and line ends as
// ends of a command, comments, redirections (their targets stay words, behind
// the others).
// Ignores: expansions (`$X`, `$(x)`, backquotes stay text or are cut at their
// brackets), here-documents. Open quotes end with the text.
// Rejects: nothing. Pure; safe to call from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rlrun {

std::vector<std::vector<std::string>> SplitShell(std::string_view script);

}  // namespace rlrun
