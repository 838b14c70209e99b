#include "exporter/config/key_spec.h"

#include "exporter/config/checks.h"
#include "exporter/config/keys.h"

namespace rlrun {

void FailUnknown(const YamlValue& value, std::string_view key,
                 const std::vector<std::string_view>& here) {
  const std::string_view nearest = NearestName(key, here);
  if (!nearest.empty()) {
    value.Fail("unknown key; did you mean " + std::string(nearest) + "?");
    return;
  }
  const std::string tail = "." + std::string(key);
  for (const std::string& known : KnownConfigKeys()) {
    if (known.ends_with(tail) && known != value.name()) {
      value.Fail("unknown key here; it belongs under " +
                 known.substr(0, known.size() - tail.size()));
      return;
    }
  }
  std::string text = "unknown key; known here:";
  for (std::size_t i = 0; i < here.size(); ++i) {
    text.append(i == 0 ? " " : ", ").append(here[i]);
  }
  value.Fail(text);
}

void ReadSize(const YamlValue& value, std::int64_t min, std::int64_t max,
              std::size_t* out) {
  std::int64_t number = 0;
  if (value.ReadWhole(min, max, &number)) {
    *out = static_cast<std::size_t>(number);
  }
}

}  // namespace rlrun
