// Masks what looks like a secret in text that people will see.
//
//   token hf_AbCdEfGhIjKlMnOpQrStUv was refused -> token *** was refused
//
// Accepts: `sk-`, `hf_`, `ghp_` and its siblings, `github_pat_`, `glpat-`,
//   `xox?-`, `AKIA`, `ASIA`, `AIza`, `nvapi-`, `npm_`, `dckr_pat_`, `tvly-`,
//   `wandb_v1_` and the like; a private key in PEM; `Bearer X`, `Basic X`;
//   words of exactly 40 hexadecimal digits (W&B keys; a git hash is masked with
//   them); the value behind `key`, `token`, `secret`, `password`, `passwd`,
//   `cookie` at the end of a name and `=` or `:`, quoted or not, or of a flag
//   and a blank (`--token X`); the password of `scheme://user:X@`.
// Ignores: everything else; a short word such as `sk-1`.
// Rejects: nothing.
// Pure; safe to call from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rlrun {

inline constexpr std::string_view kRedacted = "***";

std::string Redact(std::string_view text);

// The front of the redacted `text`, at most `size` bytes and whole characters.
// A secret that the cut would part is masked all the same.
std::string RedactFront(std::string_view text, std::size_t size);

}  // namespace rlrun
