#include "parsers/lines/payload.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

struct Case {
  std::string payload, actor, pid, ip;
  bool operator==(const Case&) const = default;
};

Case Skip(std::string_view text) {
  ActorPrefix p;
  const std::string_view payload = SkipFrontAndPrefixes(text, &p);
  return {std::string(payload), std::string(p.actor), std::string(p.pid),
          std::string(p.ip)};
}

std::string Strip(std::string_view text) {
  std::string scratch;
  return std::string(StripEscapes(text, &scratch));
}

TEST(PayloadTest, PlainPrefix) {
  EXPECT_EQ(Skip("(TaskRunner pid=712) step:3"),
            (Case{"step:3", "TaskRunner", "712", ""}));
}

TEST(PayloadTest, PrefixWithAddressOrHostName) {
  EXPECT_EQ(Skip("(FullyAsyncTrainer pid=8, ip=10.0.0.7) x"),
            (Case{"x", "FullyAsyncTrainer", "8", "10.0.0.7"}));
  EXPECT_EQ(Skip("(A pid=8, ip=node-3) x"), (Case{"x", "A", "8", "node-3"}));
}

TEST(PayloadTest, ColouredPrefixAndBlanks) {
  EXPECT_EQ(Skip("  \x1b[2m\x1b[36m(A pid=8)\x1b[0m\t x"),
            (Case{"x", "A", "8", ""}));
}

TEST(PayloadTest, NestedPrefixesKeepTheOutermost) {
  EXPECT_EQ(Skip("\x1b[36m(Server pid=1, ip=h)\x1b[0m (Engine pid=2) x"),
            (Case{"x", "Server", "1", "h"}));
}

TEST(PayloadTest, ActorNamesWithBlanksAndNone) {
  EXPECT_EQ(Skip("(my actor pid=8) x"), (Case{"x", "my actor", "8", ""}));
  EXPECT_EQ(Skip("(pid=8) x"), (Case{"x", "", "8", ""}));
}

TEST(PayloadTest, ParenthesesThatAreNoPrefixStay) {
  for (const std::string text :
       {"(raylet) x", "(A pid=) x", "(A pid=x1) x", "(A pid=1", "(Apid=1) x",
        "(A pid=1 2) x", "(A (b pid=1) x", "()", "(", "(A pid=1, port=2) x"}) {
    EXPECT_EQ(Skip(text), (Case{text, "", "", ""}));
  }
}

TEST(PayloadTest, GrepNumbersDatesAndPodsInFrontOfAPrefix) {
  const Case want{"x", "A", "8", ""};
  EXPECT_EQ(Skip("12:(A pid=8) x"), want);
  EXPECT_EQ(Skip("  4933-(A pid=8) x"), want);
  EXPECT_EQ(Skip("2026-08-15T05:04:17.029054704Z \x1b[36m(A pid=8)\x1b[0m x"),
            want);
  EXPECT_EQ(Skip("[pod/run-0/main] (A pid=8) x"), want);
  EXPECT_EQ(Skip("7:[pod/run-0/main] 2026-08-15T05:04:17Z (A pid=8) x"), want);
}

TEST(PayloadTest, FrontTextWithoutAPrefixBehindItIsPayload) {
  for (const std::string text :
       {"12:step:3 - a:1", "2026-08-15T05:04:17Z step:3", "12", "1.5 (A pid=8)",
        "[pod/run-0", "2026-08-15T05"}) {
    EXPECT_EQ(Skip(text), (Case{text, "", "", ""}));
  }
}

TEST(PayloadTest, NothingIsLeftOfALineOfPrefixes) {
  EXPECT_EQ(Skip("(A pid=8) \x1b[0m "), (Case{"", "A", "8", ""}));
  EXPECT_EQ(Skip(""), (Case{"", "", "", ""}));
}

TEST(PayloadTest, EscapesOfEveryKindAreStripped) {
  EXPECT_EQ(Strip("a\x1b[1;32mb\x1b[0mc"), "abc");
  EXPECT_EQ(Strip("a\x1b[K\x1b[A\x1b[?25lb"), "ab");
  EXPECT_EQ(Strip("\x1b]0;title: step:3\x07x"), "x");
  EXPECT_EQ(Strip("\x1b]8;;http://h\x1b\\x"), "x");
  EXPECT_EQ(Strip("\x1b(Bx\x1b=y\x1b"
                  "7z"),
            "xyz");
}

// T32.
TEST(PayloadTest, ColoursInsideNumbersAreStripped) {
  EXPECT_EQ(Strip("step:\x1b[1m1\x1b[0m2 - a:0.\x1b[31m5"), "step:12 - a:0.5");
}

TEST(PayloadTest, EscapeWithoutAnEndLosesOnlyItself) {
  EXPECT_EQ(Strip("a\x1b"), "a");
  EXPECT_EQ(Strip("a\x1b[12"), "a[12");
  EXPECT_EQ(Strip("a\x1b]0;title"), "a]0;title");
  EXPECT_EQ(Strip("a\x1b]0;ti\x1b[0mtle"), "a]0;title");
}

TEST(PayloadTest, TextWithoutEscapesIsNotCopied) {
  const std::string text = "step:1 - a:1";
  std::string scratch;
  EXPECT_EQ(StripEscapes(text, &scratch).data(), text.data());
}

TEST(PayloadTest, RepeatedSuffixIsDropped) {
  EXPECT_EQ(DropRepeatedSuffix("a:1 [repeated 3x across cluster]"), "a:1");
  EXPECT_EQ(DropRepeatedSuffix("a:1 [repeated 12x across cluster] (Ray "
                               "deduplicates logs by default.)"),
            "a:1");
  EXPECT_EQ(DropRepeatedSuffix("a:1 [repeated x across cluster]"),
            "a:1 [repeated x across cluster]");
  EXPECT_EQ(DropRepeatedSuffix("a:1"), "a:1");
}

// Most prefixes are plain ones and are read another way than odd ones.
TEST(ActorPrefixTest, PlainAndOddPrefixesAreReadAlike) {
  const std::string longest(280, 'h');
  const struct {
    std::string text;
    std::size_t size;
    std::string actor, pid, ip;
  } kCases[] = {
      {"(A_b9 pid=7)x", 12, "A_b9", "7", ""},
      {"(A pid=7, ip=h-1.x:2)", 21, "A", "7", "h-1.x:2"},
      {"(A.b pid=7)", 11, "A.b", "7", ""},
      {"(A B pid=7, ip=h)", 17, "A B", "7", "h"},
      {"(A  pid=7)", 10, "A", "7", ""},
      {"(pid=7)", 7, "", "7", ""},
      {"(A pid=7, ip=)", 14, "A", "7", ""},
      {"(A pid=7, ip=h=1)", 17, "A", "7", "h=1"},
      {"(A pid=7, ip=" + longest + ")", 294, "A", "7", longest},
      {"(A pid=7, ip=" + longest + "hhhhhhh)", 0, "", "", ""},
      {"(A pid=7,ip=h)", 0, "", "", ""},
      {"(A pid=7x)", 0, "", "", ""},
      {"(A pid=)", 0, "", "", ""},
      {"(A pid=7", 0, "", "", ""},
      {"(A pid=7, ip=h", 0, "", "", ""},
      {"(A pid=7, ip", 0, "", "", ""},
      {"(A pid", 0, "", "", ""},
      {"(A(b pid=7)", 0, "", "", ""},
      {"( pid=7)", 8, "", "7", ""},
      {"(", 0, "", "", ""},
  };
  for (const auto& c : kCases) {
    ActorPrefix prefix;
    EXPECT_EQ(ParseActorPrefix(c.text, &prefix), c.size) << c.text;
    EXPECT_EQ(prefix.actor, c.actor) << c.text;
    EXPECT_EQ(prefix.pid, c.pid) << c.text;
    EXPECT_EQ(prefix.ip, c.ip) << c.text;
  }
}

}  // namespace
}  // namespace rlrun
