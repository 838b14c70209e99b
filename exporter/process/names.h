// Whether an argument names a run or a path, without mixing names that begin
// alike.
// Pure; safe to call from any thread.
#pragma once

#include <string_view>

namespace rlrun {

// Whether the text names `name` as a word of its own, as a part of a path or
// alone: exp-1 in `/t/exp-1/logs`, `exp-1.log`, `a=exp-1,b`; not in `exp-10`,
// `exp-1.5`, `my_exp-1`. An ending after a dot begins with a letter.
bool NamesWord(std::string_view text, std::string_view name);

// Whether the text names `path` or something below it.
bool NamesPath(std::string_view text, std::string_view path);

}  // namespace rlrun
