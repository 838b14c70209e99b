// What stands around the payload of a console line: colours, actor prefixes,
// the suffix of a log deduplicator. Views into the line in, views out.
//
//   ESC[36m(TaskRunner pid=712)ESC[0m hello ESC[32m[repeated 2x across cluster]
//
// Accepts: `(Actor pid=N)` and `(Actor pid=N, ip=HOST)`, several in a
//   row, with blanks and colours between them; `(pid=N)` without a name.
// Ignores: what `grep -n`, `kubectl logs --prefix` or a dated collector puts in
//   front of the first prefix.
// Rejects: parentheses without `pid=` and a number: they are payload.
// Pure; safe to call from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rlrun {

struct ActorPrefix {
  std::string_view actor;  // `TaskRunner`; may be empty
  std::string_view pid;    // digits; empty: there is no prefix
  std::string_view ip;     // or host name; empty where none is printed

  bool present() const { return !pid.empty(); }
};

std::string_view TrimBlanks(std::string_view text);

// Bytes of the escape sequence at the front of `text`, which begins with ESC:
// CSI (`ESC [ ... letter`), OSC (`ESC ] ... BEL` or `ESC ] ... ESC \`), two-
// and three-byte ones. 1 where it is none or has no end: the lone ESC.
std::size_t EscapeSize(std::string_view text);

// `text` without escape sequences: `text` itself where it has none, else a view
// into *scratch.
std::string_view StripEscapes(std::string_view text, std::string* scratch);

// Bytes of the prefix at the front of `text`, from `(` to `)`; 0: no prefix
// there, *prefix is untouched.
std::size_t ParseActorPrefix(std::string_view text, ActorPrefix* prefix);

// `text` behind its leading blanks, escape sequences and prefixes; *outermost
// is the first prefix, or absent.
std::string_view SkipPrefixes(std::string_view text, ActorPrefix* outermost);

// As SkipPrefixes, but `text` may have foreign text in front of its first
// prefix: `12:` or `12-`, `2026-08-15T05:04:17.02Z `, `[pod/a/b] `. Without a
// prefix behind it such text is payload.
std::string_view SkipFrontAndPrefixes(std::string_view text,
                                      ActorPrefix* outermost);

// `text`, free of escape sequences, without ` [repeated Nx across cluster]` and
// what follows it.
std::string_view DropRepeatedSuffix(std::string_view text);

}  // namespace rlrun
