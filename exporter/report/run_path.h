// The name of a run as a part of an URL, and back. Two runs never share one.
// Pure; safe from any thread.
#pragma once

#include <string>
#include <string_view>

namespace rlrun {

// `PROJECT/RUN` behind `/runs/`, encoded: `-` for a project that is not known,
// a slash of a name as %2F. What a browser would take for a way up (`.`, `..`),
// and a project called `-`, has a `~` in front, and so has what is written like
// that: `~..` is `~~..`. Written as CanonicalPath writes it.
std::string RunPath(std::string_view project, std::string_view run);

// The same in plain bytes, which several runs may share: what is left of a
// RunPath behind a proxy that decodes.
std::string PlainRunPath(std::string_view project, std::string_view run);

}  // namespace rlrun
