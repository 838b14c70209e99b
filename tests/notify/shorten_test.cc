// What is run in the end-to-end test and in the demo is what is shipped, but
// for durations and places.
#include "tests/notify/shorten.h"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace rlrun::notify {
namespace {

std::string Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Difference {
  std::string key, from, to;
};

// Scalars that differ, by the key that they stand at; a difference of shape is
// one with the key `shape`.
void Compare(const std::string& key, const YAML::Node& a, const YAML::Node& b,
             std::vector<Difference>* out) {
  if (a.Type() != b.Type() || a.size() != b.size()) {
    out->push_back({"shape", key, ""});
  } else if (a.IsScalar()) {
    if (a.Scalar() != b.Scalar()) out->push_back({key, a.Scalar(), b.Scalar()});
  } else if (a.IsSequence()) {
    for (std::size_t i = 0; i < a.size(); ++i) Compare(key, a[i], b[i], out);
  } else if (a.IsMap()) {
    auto left = a.begin();
    auto right = b.begin();
    for (; left != a.end(); ++left, ++right) {
      const auto name = left->first.as<std::string>();
      if (name != right->first.as<std::string>()) {
        out->push_back({"shape", name, ""});
      }
      Compare(name, left->second, right->second, out);
    }
  }
}

std::vector<Difference> Differences(const std::string& a,
                                    const std::string& b) {
  std::vector<Difference> out;
  Compare("", YAML::Load(a), YAML::Load(b), &out);
  return out;
}

bool IsDuration(const std::string& key) {
  return std::count(std::begin(kDurationKeys), std::end(kDurationKeys), key) !=
         0;
}

const Places kPlaces = {{"127.0.0.1:10190", "exporter:1"},
                        {"127.0.0.1:9093", "alertmanager:2"},
                        {"127.0.0.1:9099", "receiver:3"},
                        {"/etc/alertmanager/secrets", "/tmp/secrets"}};

TEST(ShortenTest, OfWhatIsShippedOnlyDurationsAndPlacesChange) {
  std::size_t files = 0, durations = 0;
  for (const auto& entry : std::filesystem::directory_iterator("alerts")) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path());
    ++files;
    const std::string text = Read(entry.path());
    for (const auto& [key, from, to] :
         Differences(text, Shorten(text, kPlaces))) {
      if (IsDuration(key)) {
        const auto before = DurationSeconds(from);
        const auto after = DurationSeconds(to);
        ASSERT_TRUE(before && after) << key << ": " << from << ", " << to;
        EXPECT_EQ(*after, std::max(1L, *before / 60)) << key;
        ++durations;
        continue;
      }
      std::string expected = from;
      for (const auto& [here, there] : kPlaces) {
        const std::size_t at = expected.find(here);
        if (at != std::string::npos) expected.replace(at, here.size(), there);
      }
      EXPECT_NE(key, "shape") << from;
      EXPECT_EQ(to, expected) << key;
    }
  }
  EXPECT_GE(files, 7u);
  EXPECT_GT(durations, 50u);
}

TEST(ShortenTest, WithoutPlacesOnlyDurationsChange) {
  for (const auto& entry : std::filesystem::directory_iterator("alerts")) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string text = Read(entry.path());
    for (const Difference& difference : Differences(text, Shorten(text, {}))) {
      EXPECT_TRUE(IsDuration(difference.key)) << difference.key;
    }
  }
}

TEST(ShortenTest, TheDifferencesAreSeen) {
  const auto found = Differences("a: [{expr: x, for: 1m}]\nb: 1",
                                 "a: [{expr: y, for: 1s}]\nb: [1]");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].key, "expr");
  EXPECT_EQ(found[1].key, "for");
  EXPECT_EQ(found[2].key, "shape");
}

TEST(ShortenTest, AMinuteBecomesASecondAndNothingIsShorter) {
  EXPECT_EQ(ShortDuration("15m"), "15s");
  EXPECT_EQ(ShortDuration("24h"), "1440s");
  EXPECT_EQ(ShortDuration("90s"), "1s");
  EXPECT_EQ(ShortDuration("10s"), "1s");
  EXPECT_EQ(ShortDuration("1h30m"), std::nullopt);
  EXPECT_EQ(ShortDuration("soon"), std::nullopt);
  EXPECT_EQ(ShortDuration(""), std::nullopt);
}

TEST(ShortenTest, CommentsAndRangesInExpressionsStay) {
  EXPECT_EQ(Shorten("# for: 5m of 127.0.0.1:10190\n"
                    "  - expr: increase(x[15m]) > 0  # for: 5m\n"
                    "    for: 5m\n"
                    "    url: http://127.0.0.1:10190/x",
                    kPlaces),
            "# for: 5m of 127.0.0.1:10190\n"
            "  - expr: increase(x[15m]) > 0  # for: 5m\n"
            "    for: 5s\n"
            "    url: http://exporter:1/x\n");
}

}  // namespace
}  // namespace rlrun::notify
