// The table of families in README.md is made from the catalogue:
// RLRUN_UPDATE_README=1 writes it, otherwise it is compared.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "exporter/metrics/catalogue.h"

namespace rlrun {
namespace {

constexpr const char* kBegin = "<!-- metrics:begin -->\n";
constexpr const char* kEnd = "<!-- metrics:end -->\n";

std::string ReadReadme() {
  std::ifstream in("README.md", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string TypeName(FamilyType type) {
  return type == FamilyType::kCounter     ? "counter"
         : type == FamilyType::kHistogram ? "histogram"
                                          : "gauge";
}

std::string Table() {
  std::string out =
      "| family | type | labels | meaning |\n|---|---|---|---|\n"
      "| `rlrun_step_*` | gauge | run, project, of the template | One family "
      "per key of the step line, value as printed. |\n";
  for (const CatalogueRow& row : Catalogue()) {
    std::string labels = row.scope == FamilyScope::kRun ? "run, project" : "";
    if (!labels.empty() && !row.labels.empty()) labels += ", ";
    for (const char c : row.labels) {
      labels += c;
      if (c == ',') labels += ' ';
    }
    out += "| `" + std::string(row.name) + "` | " + TypeName(row.type) + " | " +
           labels + " | " + std::string(row.help) + " |\n";
  }
  return out;
}

TEST(ReadmeTest, TableOfFamiliesIsTheCatalogue) {
  std::string readme = ReadReadme();
  const std::size_t begin = readme.find(kBegin);
  const std::size_t end = readme.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::size_t from = begin + std::string(kBegin).size();
  if (std::getenv("RLRUN_UPDATE_README") != nullptr) {
    readme.replace(from, end - from, Table());
    std::ofstream("README.md", std::ios::binary) << readme;
    return;
  }
  EXPECT_EQ(readme.substr(from, end - from), Table());
}

}  // namespace
}  // namespace rlrun
