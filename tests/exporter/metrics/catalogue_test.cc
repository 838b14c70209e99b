#include "exporter/metrics/catalogue.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "exporter/exposition/text.h"
#include "exporter/metrics/step_families.h"

namespace rlrun {
namespace {

TEST(Catalogue, NoRowHasTheNameOfAStepKey) {
  for (const CatalogueRow& row : Catalogue()) {
    EXPECT_FALSE(row.name.starts_with(kStepPrefix)) << row.name;
  }
}

TEST(Catalogue, NamesAreValidUniqueAndOurs) {
  std::set<std::string_view> names;
  for (const CatalogueRow& row : Catalogue()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(IsValidMetricName(row.name)) << row.name;
    EXPECT_EQ(row.name.find(':'), std::string_view::npos) << row.name;
    EXPECT_TRUE(row.name.starts_with("rlrun_") ||
                row.name.starts_with("process_"))
        << row.name;
  }
}

TEST(Catalogue, CountersAndOnlyTheyEndInTotal) {
  for (const CatalogueRow& row : Catalogue()) {
    EXPECT_EQ(row.name.ends_with("_total"), row.type == FamilyType::kCounter)
        << row.name;
    for (const std::string_view reserved : {"_sum", "_count", "_bucket"}) {
      EXPECT_FALSE(row.name.ends_with(reserved)) << row.name;
    }
  }
}

TEST(Catalogue, UnitIsTheSuffix) {
  for (const CatalogueRow& row : Catalogue()) {
    std::string_view name = row.name;
    if (name.ends_with("_total")) name.remove_suffix(6);
    std::string_view unit;
    if (name.ends_with("_seconds")) unit = "seconds";
    if (name.ends_with("_bytes")) unit = "bytes";
    if (name.ends_with("_ratio")) unit = "ratio";
    EXPECT_EQ(row.unit, unit) << row.name;
  }
}

TEST(Catalogue, TimesAreTimestampsAndHelpIsASentence) {
  for (const CatalogueRow& row : Catalogue()) {
    EXPECT_TRUE(row.help.ends_with(".")) << row.name;
    if (row.help.starts_with("Unix time")) {
      EXPECT_TRUE(row.name.ends_with("_timestamp_seconds")) << row.name;
    }
  }
}

TEST(Catalogue, LabelsAreValidAndNotThoseOfEverySeries) {
  for (const CatalogueRow& row : Catalogue()) {
    std::set<std::string> labels;
    std::string_view rest = row.labels;
    while (!rest.empty()) {
      const std::string label(rest.substr(0, rest.find(',')));
      rest.remove_prefix(std::min(rest.size(), label.size() + 1));
      EXPECT_TRUE(IsValidLabelName(label)) << row.name;
      EXPECT_TRUE(labels.insert(label).second) << row.name;
      EXPECT_TRUE(label != "run" && label != "project") << row.name;
      EXPECT_TRUE(IsCatalogueLabel(label)) << label;
    }
  }
  EXPECT_TRUE(IsCatalogueLabel("run"));
  EXPECT_TRUE(IsCatalogueLabel("key"));
  EXPECT_TRUE(IsCatalogueLabel("le"));
  EXPECT_FALSE(IsCatalogueLabel("team"));
  EXPECT_FALSE(IsCatalogueLabel(""));
}

TEST(Family, EveryRowHasOneSharedHeader) {
  for (const CatalogueRow& row : Catalogue()) {
    const auto header = Family(row.name);
    ASSERT_NE(header, nullptr) << row.name;
    EXPECT_EQ(header->name, row.name);
    EXPECT_EQ(header->type, row.type);
    EXPECT_EQ(header->unit, row.unit);
    EXPECT_EQ(header->help, row.help);
    EXPECT_EQ(header, Family(row.name));
  }
  EXPECT_EQ(Family("rlrun_nothing"), nullptr);
}

}  // namespace
}  // namespace rlrun
