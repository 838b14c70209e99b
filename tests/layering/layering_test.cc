#include "tests/layering/layering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rlrun::layering {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> CheckOne(const std::string& path,
                                  const std::string& text) {
  return Check({{path, text}});
}

TEST(Layering, TreeKeepsItsDoors) {
  const std::vector<SourceFile> files = ReadTree(RLRUN_SOURCE_DIR);
  ASSERT_FALSE(files.empty());
  for (const std::string& violation : Check(files)) {
    ADD_FAILURE() << violation;
  }
}

TEST(Layering, DoorInTheWrongDirectionIsNamedWithItsLine) {
  EXPECT_THAT(CheckOne("parsers/model/a.h",
                       "#pragma once\n\n#include \"exporter/store/run.h\"\n"),
              ElementsAre("parsers/model/a.h:3: parsers/model may not include "
                          "exporter/store/run.h"));
}

TEST(Layering, OpenDoorAndOwnRoomAreSilent) {
  EXPECT_THAT(CheckOne("exporter/tail/a.cc",
                       "#include \"exporter/tail/b.h\"\n"
                       "#include \"parsers/lines/line.h\"\n"
                       "#include <boost/filesystem.hpp>\n"),
              IsEmpty());
}

TEST(Layering, IncludeWithBlanksIsSeen) {
  EXPECT_THAT(CheckOne("exporter/store/a.cc",
                       "#  include  \"exporter/web/server.h\"\n"),
              ElementsAre(HasSubstr("exporter/store/a.cc:1: ")));
}

TEST(Layering, ConfigSeesOptionsAndNothingElseOfARoom) {
  EXPECT_THAT(CheckOne("exporter/config/a.cc",
                       "#include \"exporter/store/options.h\"\n"),
              IsEmpty());
  EXPECT_THAT(
      CheckOne("exporter/config/a.cc", "#include \"exporter/store/store.h\"\n"),
      ElementsAre(HasSubstr("may not include")));
  EXPECT_THAT(CheckOne("exporter/store/a.cc",
                       "#include \"exporter/config/config.h\"\n"),
              ElementsAre(HasSubstr("may not include")));
}

TEST(Layering, MainSeesAppAndConfigOnly) {
  EXPECT_THAT(CheckOne("exporter/main.cc",
                       "#include \"exporter/app/app.h\"\n"
                       "#include <CLI/CLI.hpp>\n"),
              IsEmpty());
  EXPECT_THAT(
      CheckOne("exporter/main.cc", "#include \"exporter/web/server.h\"\n"),
      ElementsAre(HasSubstr("may not include")));
}

TEST(Layering, ProductIncludingTestsIsAViolation) {
  EXPECT_THAT(
      CheckOne("exporter/app/a.cc", "#include \"tests/support/fake.h\"\n"),
      ElementsAre(HasSubstr("may not include")));
}

TEST(Layering, LibraryOutsideItsRoomIsAViolation) {
  for (const char* header : {"yaml-cpp/yaml.h", "spdlog/spdlog.h", "httplib.h",
                             "prometheus/registry.h", "boost/filesystem.hpp",
                             "CLI/CLI.hpp", "regex"}) {
    EXPECT_THAT(CheckOne("exporter/store/a.cc",
                         "#include <" + std::string(header) + ">\n"),
                ElementsAre(HasSubstr(header)))
        << header;
  }
}

TEST(Layering, ClockIsBannedWhereTimeIsInjected) {
  EXPECT_THAT(CheckOne("parsers/values/a.cc",
                       "auto t = std::chrono::system_clock::now();\n"
                       "auto u = time(nullptr);\n"),
              testing::SizeIs(2));
  EXPECT_THAT(CheckOne("exporter/signatures/a.cc", "x = ::time(nullptr);\n"),
              testing::SizeIs(1));
  EXPECT_THAT(CheckOne("parsers/values/a.cc", "mktime(&t); Stamp_time(3);\n"),
              IsEmpty());
  EXPECT_THAT(CheckOne("exporter/app/a.cc", "time(nullptr);\n"), IsEmpty());
}

TEST(Layering, RegexIsBannedEverywhere) {
  EXPECT_THAT(CheckOne("exporter/app/a.cc", "std::regex r;\n"),
              ElementsAre("exporter/app/a.cc:1: std::regex is banned"));
}

TEST(Layering, CommentsAndLiteralsAreNotLookedAt) {
  EXPECT_THAT(CheckOne("parsers/lines/a.cc",
                       "// std::regex is slow, so is time(0)\n"
                       "/* #include \"exporter/web/server.h\"\n"
                       "   std::regex */\n"
                       "const char* s = \"std::regex \\\" time(\";\n"
                       "char quote = '\"';\n"
                       "int n = 1'000;\n"),
              IsEmpty());
  // A literal and a comment end where they end.
  EXPECT_THAT(CheckOne("parsers/lines/a.cc", "f(\"x\"); /* y */ std::regex r;"),
              testing::SizeIs(1));
  EXPECT_THAT(CheckOne("parsers/lines/a.cc", "int n = 1'0; std::regex r;"),
              testing::SizeIs(1));
}

TEST(Layering, UnknownFolderIsAViolation) {
  EXPECT_THAT(CheckOne("exporter/utils/a.h", ""),
              ElementsAre("exporter/utils/a.h:1: is in no room of the layout"));
  EXPECT_THAT(CheckOne("exporter/stray.cc", ""), testing::SizeIs(1));
  EXPECT_THAT(CheckOne("parsers/formats/deep/a.h", ""), testing::SizeIs(1));
}

TEST(Layering, MissingTreeReadsAsEmpty) {
  EXPECT_THAT(ReadTree("/nonexistent"), IsEmpty());
}

}  // namespace
}  // namespace rlrun::layering
