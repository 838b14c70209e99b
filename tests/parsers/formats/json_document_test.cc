#include "parsers/formats/json_document.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace rlrun {
namespace {

// Everything that is visited, one text per value.
class Recorder : public JsonVisitor {
 public:
  void Begin(const JsonPath& p) override { Note(p, "{"); }
  void End(const JsonPath& p) override { Note(p, "}"); }
  void Number(const JsonPath& p, double v) override {
    Note(p, std::isnan(v) ? "nan" : std::to_string(v));
  }
  void Text(const JsonPath& p, std::string_view t) override {
    Note(p, "'" + std::string(t) + "'");
  }
  void Bool(const JsonPath& p, bool v) override { Note(p, v ? "yes" : "no"); }
  void Null(const JsonPath& p) override { Note(p, "null"); }
  std::vector<std::string> seen;

 private:
  void Note(const JsonPath& path, const std::string& what) {
    std::string text;
    for (std::size_t i = 0; i < path.depth; ++i) {
      text += (i < JsonPath::kMost ? std::string(path.key[i]) : "?") + "/";
    }
    seen.push_back(text + what);
  }
};

DocumentParse Parse(std::string text) {
  JsonVisitor visitor;
  return ParseJsonDocument(std::move(text), &visitor);
}

TEST(JsonDocument, EveryValueComesWithThePathThatLeadsToIt) {
  Recorder r;
  EXPECT_EQ(
      ParseJsonDocument(
          R"({"a": 1, "b": {"c": [true, {"d": null}], "e": "x\u00e9"}})", &r),
      DocumentParse::kOk);
  EXPECT_EQ(r.seen,
            (std::vector<std::string>{"a/1.000000", "b/{", "b/c/{", "b/c//yes",
                                      "b/c//{", "b/c//d/null", "b/c//}",
                                      "b/c/}", "b/e/'x\u00e9'", "b/}"}));
}

TEST(JsonDocument, ByteOrderMarkInFront) {
  EXPECT_EQ(Parse("\xEF\xBB\xBF{\"a\": 1}\n"), DocumentParse::kOk);
  EXPECT_EQ(Parse("\xEF\xBB\xBF{\"a\": 1"), DocumentParse::kIncomplete);
  EXPECT_EQ(Parse("\xEF\xBB\xBF"), DocumentParse::kIncomplete);
}

TEST(JsonDocument, BareNanAndInfinityAreNumbers) {
  Recorder r;
  EXPECT_EQ(ParseJsonDocument(R"({"a": NaN, "b": -Infinity})", &r),
            DocumentParse::kOk);
  EXPECT_EQ(r.seen, (std::vector<std::string>{"a/nan", "b/-inf"}));
}

TEST(JsonDocument, CutAnywhereIsIncompleteOrNoDocumentAtAll) {
  const std::string whole = R"({"a": {"b": [1, "two", true, null]}, "c": NaN})";
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_NE(Parse(whole.substr(0, n)), DocumentParse::kOk) << n;
  }
  EXPECT_EQ(Parse(""), DocumentParse::kIncomplete);
  EXPECT_EQ(Parse("{"), DocumentParse::kIncomplete);
  EXPECT_EQ(Parse(R"({"a": "tw)"), DocumentParse::kIncomplete);
}

TEST(JsonDocument, ShorterTextOverALongerOneIsMalformed) {
  EXPECT_EQ(Parse(R"({"a": 1}"b": 2}})"), DocumentParse::kMalformed);
}

TEST(JsonDocument, SomethingElseThanAnObjectIsMalformed) {
  EXPECT_EQ(Parse("[1, 2]"), DocumentParse::kMalformed);
  EXPECT_EQ(Parse("42"), DocumentParse::kMalformed);
  EXPECT_EQ(Parse("<html></html>"), DocumentParse::kMalformed);
}

TEST(JsonDocument, HugeDepthCostsNoStack) {
  const std::string deep(200000, '[');
  EXPECT_EQ(Parse("{\"a\": " + deep), DocumentParse::kIncomplete);
  EXPECT_EQ(Parse("{\"a\": " + deep + std::string(200000, ']') + "}"),
            DocumentParse::kOk);
}

TEST(JsonDocument, ZeroBytesBehindTheTextAreNotLookedAt) {
  EXPECT_EQ(Parse(std::string("{\"a\": 1}\0\0\0", 11)), DocumentParse::kOk);
}

}  // namespace
}  // namespace rlrun
