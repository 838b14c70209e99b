// Writes below a folder and stamps what it wrote; fails by returning false with
// errno set. Not thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace rlrun::scenarios {

bool WriteFile(const std::string& path, std::string_view bytes);   // replaces
bool AppendFile(const std::string& path, std::string_view bytes);  // or creates
// `at`: Unix time in seconds.
bool SetModified(const std::string& path, double at);

}  // namespace rlrun::scenarios
