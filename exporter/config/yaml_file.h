// A YAML file as a whole: its text, its one document, and errors as
// `file:line: text`. What its keys mean is left to who reads it.
// Safe to call from any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "exporter/config/yaml_value.h"

namespace rlrun {

// A larger file is none that we are meant to read.
inline constexpr std::size_t kMaxTextFile = 1u << 20;

// Returns an empty string and fills *text, or what is wrong with the file,
// without its name.
std::string ReadTextFile(const std::string& path, std::string* text);

// Lets `read` read the document, unless there is none. Returns every error that
// it and the syntax have, in the order of lines; `name` stands for the file.
std::vector<std::string> ReadYaml(
    const std::string& text, const std::string& name,
    const std::function<void(const YamlValue& root)>& read);

}  // namespace rlrun
