#include "exporter/config/config.h"

#include <memory>
#include <optional>
#include <utility>

#include "exporter/config/key_spec.h"
#include "exporter/config/keys.h"
#include "exporter/config/processes.h"
#include "exporter/config/roots.h"
#include "exporter/config/rules.h"
#include "exporter/config/step_keys.h"
#include "exporter/config/yaml_file.h"
#include "exporter/config/yaml_value.h"
#include "exporter/metrics/step_families.h"

namespace rlrun {
namespace {

constexpr double kYear = 365 * 86400.0;

struct Loading {
  Config config;
  RootsLoading roots;
  RunRules rules;
  std::optional<YamlValue> runs;  // read behind `rules`, wherever it stands
};

constexpr KeySpec<Config> kLimitsKeys[] = {
    {"max_keys_per_run",
     [](const YamlValue& v, Config* c) {
       ReadSize(v, 1, 1'000'000, &c->store.max_keys_per_run);
     }},
    {"max_series",
     [](const YamlValue& v, Config* c) {
       ReadSize(v, 1, 100'000'000, &c->store.max_series);
     }},
    {"max_line_bytes",
     [](const YamlValue& v, Config* c) {
       ReadSize(v, 1024, 1 << 30, &c->tail.max_line_bytes);
     }},
    {"bytes_per_turn",
     [](const YamlValue& v, Config* c) {
       ReadSize(v, 4096, 1 << 30, &c->tail.bytes_per_turn);
     }},
    {"max_open_files",
     [](const YamlValue& v, Config* c) {
       ReadSize(v, 1, 1'000'000, &c->tail.max_open_files);
     }},
};

constexpr KeySpec<StoreOptions> kRetentionKeys[] = {
    {"finished",
     [](const YamlValue& v, StoreOptions* o) {
       v.ReadSeconds(0, 10 * kYear, &o->retention_finished);
     }},
    {"max_age",
     [](const YamlValue& v, StoreOptions* o) {
       v.ReadSeconds(1, 10 * kYear, &o->max_age);
     }},
    {"vanish_grace",
     [](const YamlValue& v, StoreOptions* o) {
       v.ReadSeconds(0, 10 * kYear, &o->vanish_grace);
     }},
};

constexpr KeySpec<TailOptions> kPollKeys[] = {
    {"active",
     [](const YamlValue& v, TailOptions* o) {
       v.ReadSeconds(0.05, 3600, &o->active_interval);
     }},
    {"idle",
     [](const YamlValue& v, TailOptions* o) {
       v.ReadSeconds(0.05, 3600, &o->idle_interval);
     }},
    {"directory",
     [](const YamlValue& v, TailOptions* o) {
       v.ReadSeconds(0.05, 86400, &o->directory_interval);
     }},
    {"network_factor",
     [](const YamlValue& v, TailOptions* o) {
       v.ReadNumber(1, 1000, &o->network_factor);
     }},
    {"root_timeout",
     [](const YamlValue& v, TailOptions* o) {
       v.ReadSeconds(0.1, 3600, &o->root_timeout);
     }},
    {"rotate_wait",
     [](const YamlValue& v, TailOptions* o) {
       v.ReadSeconds(0, 3600, &o->rotate_wait);
     }},
    {"inotify",
     [](const YamlValue& v, TailOptions* o) { v.Read(&o->use_inotify); }},
};

void ReadGlobs(const YamlValue& list, std::vector<std::string>* globs) {
  globs->clear();
  for (const YamlValue& element : list.Elements()) {
    std::string glob;
    if (!element.Read(&glob)) continue;
    if (glob.empty()) element.Fail("must not be empty");
    globs->push_back(std::move(glob));
  }
}

constexpr KeySpec<TrialOptions> kTrialsKeys[] = {
    {"enabled",
     [](const YamlValue& v, TrialOptions* o) { v.Read(&o->enabled); }},
    {"interval",
     [](const YamlValue& v, TrialOptions* o) {
       v.ReadSeconds(0.5, 86400, &o->interval);
     }},
    {"stuck_after",
     [](const YamlValue& v, TrialOptions* o) {
       v.ReadSeconds(1, kYear, &o->stuck_after);
     }},
    {"settle_after",
     [](const YamlValue& v, TrialOptions* o) {
       v.ReadSeconds(1, kYear, &o->settle_after);
     }},
    {"settled_interval",
     [](const YamlValue& v, TrialOptions* o) {
       v.ReadSeconds(1, 86400, &o->settled_interval);
     }},
    {"val_patterns", [](const YamlValue& v,
                        TrialOptions* o) { ReadGlobs(v, &o->val_patterns); }},
    {"train_patterns",
     [](const YamlValue& v, TrialOptions* o) {
       ReadGlobs(v, &o->train_patterns);
     }},
    {"max_result_bytes",
     [](const YamlValue& v, TrialOptions* o) {
       ReadSize(v, 1024, 1 << 30, &o->max_result_bytes);
     }},
    {"give_up_after",
     [](const YamlValue& v, TrialOptions* o) {
       v.ReadSeconds(0, kYear, &o->give_up_after);
     }},
    {"cache_dir",
     [](const YamlValue& v, TrialOptions* o) { v.Read(&o->cache_dir); }},
};

void ReadPoll(const YamlValue& map, Loading* l) {
  TailOptions* tail = &l->config.tail;
  ReadMap<TailOptions>(map, kPollKeys, tail);
  if (tail->idle_interval < tail->active_interval) {
    map.Fail("idle must not be shorter than active");
  }
}

constexpr KeySpec<Loading> kTopKeys[] = {
    {"roots", [](const YamlValue& v, Loading* l) { ReadRoots(v, &l->roots); }},
    {"keys", [](const YamlValue& v,
                Loading* l) { ReadStepKeys(v, &l->config.metrics); }},
    {"limits", [](const YamlValue& v,
                  Loading* l) { ReadMap<Config>(v, kLimitsKeys, &l->config); }},
    {"retention",
     [](const YamlValue& v, Loading* l) {
       ReadMap<StoreOptions>(v, kRetentionKeys, &l->config.store);
     }},
    {"poll", ReadPoll},
    {"trials",
     [](const YamlValue& v, Loading* l) {
       ReadMap<TrialOptions>(v, kTrialsKeys, &l->config.trials);
     }},
    {"processes", [](const YamlValue& v,
                     Loading* l) { ReadProcesses(v, &l->config.processes); }},
    {"rules",
     [](const YamlValue& v, Loading* l) { ReadRules(v, &l->rules.options); }},
    {"runs", [](const YamlValue& v, Loading* l) { l->runs.emplace(v); }},
};

// A series must not carry one label twice. CheckRootLabel knows the labels of
// the contract, these the labels of the catalogue and of all templates.
void CheckLabelsAgainstTemplates(const Loading& loading) {
  const StepFamilies built_in;
  const StepFamilies families(loading.config.metrics);
  for (const auto& [name, value] : loading.roots.labels) {
    if (!built_in.AllowsStaticLabel(name)) {
      value.Fail("the exporter's own series use this label");
    } else if (!families.AllowsStaticLabel(name)) {
      value.Fail("a template of keys uses this label");
    }
  }
}

void Load(const YamlValue& root, Loading* loading) {
  ReadMap<Loading>(root, kTopKeys, loading);
  loading->config.rules = std::make_shared<const RunRules>(loading->rules);
  if (loading->runs) {
    ReadRuns(*loading->runs, loading->rules.options, &loading->config.runs);
  }
  CheckLabelsAgainstTemplates(*loading);
}

}  // namespace

std::vector<std::string> KnownConfigKeys() {
  std::vector<std::string> names;
  AppendNames<Loading>("", kTopKeys, &names);
  AppendRootKeys(&names);
  AppendStepKeysKeys(&names);
  AppendNames<Config>("limits.", kLimitsKeys, &names);
  AppendNames<StoreOptions>("retention.", kRetentionKeys, &names);
  AppendNames<TailOptions>("poll.", kPollKeys, &names);
  AppendNames<TrialOptions>("trials.", kTrialsKeys, &names);
  AppendProcessKeys(&names);
  AppendRuleKeys(&names);
  return names;
}

std::vector<std::string> ParseConfig(const std::string& text,
                                     const std::string& name, Config* config) {
  Loading loading;
  std::vector<std::string> lines = ReadYaml(
      text, name, [&loading](const YamlValue& root) { Load(root, &loading); });
  if (lines.empty()) {
    loading.config.roots = std::move(loading.roots.roots);
    *config = std::move(loading.config);
  }
  return lines;
}

std::vector<std::string> LoadConfig(const std::string& path, Config* config) {
  std::string text;
  const std::string wrong = ReadTextFile(path, &text);
  if (!wrong.empty()) return {path + ": " + wrong};
  return ParseConfig(text, path, config);
}

}  // namespace rlrun
