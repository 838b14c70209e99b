#include "exporter/config/yaml_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>
#include <system_error>

namespace rlrun {

std::string ReadTextFile(const std::string& path, std::string* text) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (!file) return std::generic_category().message(errno);
  text->assign(kMaxTextFile + 1, '\0');
  text->resize(std::fread(text->data(), 1, text->size(), file.get()));
  if (std::ferror(file.get()) != 0) {
    return std::generic_category().message(errno);
  }
  if (text->size() > kMaxTextFile) {
    return "larger than 1 MiB; this is no configuration";
  }
  return "";
}

std::vector<std::string> ReadYaml(
    const std::string& text, const std::string& name,
    const std::function<void(const YamlValue& root)>& read) {
  std::vector<ConfigError> errors;
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() > 1) {
      errors.push_back({documents[1].Mark().line + 1,
                        "a second document; one file holds one"});
    }
    if (!documents.empty()) {
      read(YamlValue(documents[0], 1, "", &errors));
    }
  } catch (const YAML::Exception& e) {
    const bool bad_file = e.msg == YAML::ErrorMsg::BAD_FILE;
    errors.push_back({e.mark.is_null() ? 0 : e.mark.line + 1,
                      bad_file ? "nested too deeply" : e.msg});
  } catch (const std::exception& e) {
    errors.push_back({0, e.what()});
  }
  std::stable_sort(errors.begin(), errors.end(),
                   [](const ConfigError& a, const ConfigError& b) {
                     return a.line < b.line;
                   });
  std::vector<std::string> lines;
  for (const ConfigError& error : errors) {
    const std::string where =
        error.line == 0 ? name : name + ":" + std::to_string(error.line);
    lines.push_back(where + ": " + error.text);
  }
  return lines;
}

}  // namespace rlrun
