#include "exporter/config/processes.h"

#include "exporter/config/key_spec.h"

namespace rlrun {
namespace {

constexpr KeySpec<ProcessOptions> kKeys[] = {
    {"enabled",
     [](const YamlValue& v, ProcessOptions* o) { v.Read(&o->enabled); }},
    {"proc_root",
     [](const YamlValue& v, ProcessOptions* o) {
       std::string path;
       if (!v.Read(&path)) return;
       if (path.starts_with('/')) {
         o->proc_root = path;
       } else {
         v.Fail("must be an absolute path");
       }
     }},
    {"nvml_library",
     [](const YamlValue& v, ProcessOptions* o) { v.Read(&o->nvml_library); }},
    {"interval",
     [](const YamlValue& v, ProcessOptions* o) {
       v.ReadSeconds(1, 3600, &o->interval);
     }},
};

}  // namespace

void ReadProcesses(const YamlValue& map, ProcessOptions* options) {
  ReadMap<ProcessOptions>(map, kKeys, options);
}

void AppendProcessKeys(std::vector<std::string>* names) {
  AppendNames<ProcessOptions>("processes.", kKeys, names);
}

}  // namespace rlrun
