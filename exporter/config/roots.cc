#include "exporter/config/roots.h"

#include <algorithm>

#include "exporter/config/checks.h"
#include "exporter/config/key_spec.h"

namespace rlrun {
namespace {

struct LoadingRoot {
  RootOptions options;
  bool has_path = false;
  RootsLoading* out = nullptr;
};

void ReadPath(const YamlValue& v, LoadingRoot* root) {
  root->has_path = true;
  if (!v.Read(&root->options.path)) return;
  const std::string wrong = CheckRootPath(root->options.path);
  if (!wrong.empty()) v.Fail(wrong);
}

void ReadFormat(const YamlValue& v, LoadingRoot* root) {
  std::string text;
  if (!v.Read(&text)) return;
  if (text != "auto" && text != "verl" && text != "jsonl" && text != "slime" &&
      text != "trl") {
    v.Fail("must be auto, verl, jsonl, slime or trl, is \"" + text + "\"");
    return;
  }
  root->options.format = text;
}

void ReadRunName(const YamlValue& v, LoadingRoot* root) {
  if (!v.Read(&root->options.run_name)) return;
  const std::string wrong = CheckRunName(root->options.run_name);
  if (!wrong.empty()) v.Fail(wrong);
}

void ReadLabels(const YamlValue& v, LoadingRoot* root) {
  for (const auto& [name, value] : v.Entries()) {
    std::string text;
    if (!value.Read(&text)) continue;
    const std::string wrong = CheckRootLabel(name, text);
    if (!wrong.empty()) {
      value.Fail(wrong);
      continue;
    }
    root->options.labels[name] = text;
    root->out->labels.emplace_back(name, value);
  }
}

constexpr KeySpec<LoadingRoot> kRootKeys[] = {
    {"path", ReadPath},
    {"format", ReadFormat},
    {"run_name", ReadRunName},
    {"labels", ReadLabels},
    {"max_depth",
     [](const YamlValue& v, LoadingRoot* r) {
       std::int64_t depth = 0;
       if (v.ReadWhole(0, 64, &depth)) {
         r->options.max_depth = static_cast<int>(depth);
       }
     }},
    {"max_files",
     [](const YamlValue& v, LoadingRoot* r) {
       ReadSize(v, 1, 10'000'000, &r->options.max_files);
     }},
};

}  // namespace

void ReadRoots(const YamlValue& list, RootsLoading* out) {
  std::vector<std::pair<std::string, int>> seen;  // path, line
  for (const YamlValue& element : list.Elements()) {
    LoadingRoot root;
    root.out = out;
    const bool is_map = ReadMap<LoadingRoot>(element, kRootKeys, &root);
    if (is_map && !root.has_path) element.Fail("path is missing");
    std::string path = root.options.path;
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    const auto same =
        std::find_if(seen.begin(), seen.end(),
                     [&path](const auto& s) { return s.first == path; });
    if (same != seen.end() && !path.empty()) {
      element.Fail("the same path as the root in line " +
                   std::to_string(same->second));
    }
    seen.emplace_back(path, element.line());
    out->roots.push_back(std::move(root.options));
  }
}

void AppendRootKeys(std::vector<std::string>* names) {
  AppendNames<LoadingRoot>("roots.", kRootKeys, names);
}

}  // namespace rlrun
