#include "parsers/values/python_literal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace rlrun {
namespace {

using Kind = PyValue::Kind;

// What the tree holds, each value in one way.
std::string Dump(PyValue value) {
  switch (value.kind()) {
    case Kind::kAbsent:
      return "absent";
    case Kind::kNone:
      return "None";
    case Kind::kBool:
      return *value.AsBool() ? "True" : "False";
    case Kind::kInt:
      return value.AsInt() ? std::to_string(*value.AsInt()) : "big";
    case Kind::kFloat:
      return "f" + std::to_string(*value.AsDouble());
    case Kind::kString:
      return "<" + std::string(*value.AsString()) + ">";
    case Kind::kBytes:
      return "b<" + std::string(*value.AsString()) + ">";
    default:
      break;
  }
  std::string out = value.kind() == Kind::kTuple  ? "t("
                    : value.kind() == Kind::kList ? "l("
                    : value.kind() == Kind::kSet  ? "s("
                                                  : "d(";
  for (PyValue v = value.First(); v.present(); v = v.Next()) {
    out += Dump(v) + " ";
  }
  return out + ")";
}

std::string Read(std::string_view text) {
  PyDocument document;
  const PyStatus status = document.Parse(text);
  if (status == PyStatus::kOk) return Dump(document.root());
  if (status == PyStatus::kCut) return "cut " + Dump(document.root());
  EXPECT_FALSE(document.root().present()) << text;
  return std::string(document.error()) + " at " +
         std::to_string(document.error_at());
}

TEST(PythonLiteralTest, Numbers) {
  EXPECT_EQ(Read("0"), "0");
  EXPECT_EQ(Read(" -17\n"), "-17");
  EXPECT_EQ(Read("1_000_000"), "1000000");
  EXPECT_EQ(Read("0x1F"), "31");
  EXPECT_EQ(Read("-0b_101"), "-5");
  EXPECT_EQ(Read("0o17"), "15");
  EXPECT_EQ(Read("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(Read("1e-06"), "f0.000001");
  EXPECT_EQ(Read("-.5"), "f-0.500000");
  EXPECT_EQ(Read("1_0.2_5E+1"), "f102.500000");
  EXPECT_EQ(Read("inf"), "finf");
  EXPECT_EQ(Read("-inf"), "f-inf");
  EXPECT_EQ(Read("nan"), "fnan");
  EXPECT_EQ(Read("[np.float64(0.5), np.int64(3)]"), "l(f0.500000 f3.000000 )");
}

TEST(PythonLiteralTest, IntegerBeyond64BitsIsADouble) {
  PyDocument document;
  ASSERT_EQ(document.Parse("9223372036854775808"), PyStatus::kOk);
  EXPECT_EQ(document.root().kind(), Kind::kInt);
  EXPECT_FALSE(document.root().AsInt());
  EXPECT_EQ(document.root().AsDouble(), 9223372036854775808.0);
  ASSERT_EQ(document.Parse("-0x10000000000000000"), PyStatus::kOk);
  EXPECT_EQ(document.root().AsDouble(), -18446744073709551616.0);
}

TEST(PythonLiteralTest, WhatIsNoNumber) {
  for (const char* text :
       {"007", "1__0", "1_e5", "1._5", "1_", "0x", "1.2.3", "0b2", "[1e]"}) {
    EXPECT_TRUE(Read(text).starts_with("no number")) << text;
  }
  EXPECT_EQ(Read("[1, nil]"), "unknown name at 4");
  EXPECT_EQ(Read("[1, -True]"), "unknown name at 4");
  EXPECT_EQ(Read("[open('x')]"), "a call at 1");
  EXPECT_EQ(Read("[3j]"), "no number at 1");
  EXPECT_EQ(Read("[%]"), "no value at 1");
  EXPECT_EQ(Read("[f'x']"), "unknown name at 1");
}

TEST(PythonLiteralTest, Strings) {
  EXPECT_EQ(Read("'a\"b'"), "<a\"b>");
  EXPECT_EQ(Read("\"it's\""), "<it's>");
  EXPECT_EQ(Read(R"('it\'s \"\\ \n\t')"), "<it's \"\\ \n\t>");
  EXPECT_EQ(Read(R"('\x41\101\u00e9\U0001F600')"), "<AA\u00e9\U0001F600>");
  EXPECT_EQ(Read(R"('\d \ud800')"), "<\\d \uFFFD>");
  EXPECT_EQ(Read("'a\\\nb'"), "<ab>");
  EXPECT_EQ(Read(R"(r'C:\new\'x')"), R"(<C:\new\'x>)");
  EXPECT_EQ(Read(R"(Rb'\x')"), R"(b<\x>)");
  EXPECT_EQ(Read(R"(b'\xff\u0041')"), "b<\xff\\u0041>");
  EXPECT_EQ(Read("u'x'"), "<x>");
  EXPECT_EQ(Read("'''a'b\n'''"), "<a'b\n>");
  EXPECT_EQ(Read("''"), "<>");
}

TEST(PythonLiteralTest, DamagedStrings) {
  EXPECT_EQ(Read("['a\nb']"), "line end inside a string at 3");
  EXPECT_EQ(Read(R"('\xg0')"), "damaged escape at 3");
  EXPECT_EQ(Read(R"('\U00110000')"), "no such character at 11");
  EXPECT_EQ(Read(R"('\N{DASH}')"), "a character by its name is not read at 1");
  EXPECT_EQ(Read("['a' b'b']"), "bytes and text in one string at 9");
}

TEST(PythonLiteralTest, StringWrappedOverLinesIsOne) {
  EXPECT_EQ(Read("{'path': '/data/'\n         'train'\n  \"'s\",\n 'n': 1}"),
            "d(<path> </data/train's> <n> 1 )");
  EXPECT_EQ(Read("('ab'\n 'cd')"), "<abcd>");
}

TEST(PythonLiteralTest, Containers) {
  EXPECT_EQ(Read("[]"), "l()");
  EXPECT_EQ(Read("()"), "t()");
  EXPECT_EQ(Read("{}"), "d()");
  EXPECT_EQ(Read("set()"), "s()");
  EXPECT_EQ(Read("(1)"), "1");
  EXPECT_EQ(Read("[((1)), 2]"), "l(1 2 )");
  EXPECT_EQ(Read("(1,)"), "t(1 )");
  EXPECT_EQ(Read("(1, 2)"), "t(1 2 )");
  EXPECT_EQ(Read("{1}"), "s(1 )");
  EXPECT_EQ(Read("{1, 'a',}"), "s(1 <a> )");
  EXPECT_EQ(Read("{(1, 2): [3, {4: 5}], None: True}"),
            "d(t(1 2 ) l(3 d(4 5 ) ) None True )");
  EXPECT_EQ(Read("[([1],)]"), "l(t(l(1 ) ) )");
}

TEST(PythonLiteralTest, DamagedContainers) {
  EXPECT_EQ(Read("[1, 2}"), "another bracket is open at 5");
  EXPECT_EQ(Read("[1 2]"), "expected , or a bracket at 3");
  EXPECT_EQ(Read("[,]"), "no value at 1");
  EXPECT_EQ(Read("{'a': 1, 'b'}"), "expected : at 12");
  EXPECT_EQ(Read("{'a': }"), "no value at 6");
  EXPECT_EQ(Read("{1, 2: 3}"), "expected , or a bracket at 5");
  EXPECT_EQ(Read("[1]]"), "text behind the literal at 3");
  EXPECT_EQ(Read("]"), "no value at 0");
}

TEST(PythonLiteralTest, CutTextKeepsWhatIsWhole) {
  EXPECT_EQ(Read("{'a': 1, 'b': 2"), "cut d(<a> 1 )");
  EXPECT_EQ(Read("{'a': 1, 'b': 'x'"), "cut d(<a> 1 )");
  EXPECT_EQ(Read("{'a': 1, 'b': 'x"), "cut d(<a> 1 )");
  EXPECT_EQ(Read("{'a': 1, 'b': Tru"), "cut d(<a> 1 )");
  EXPECT_EQ(Read("{'a': 1, 'b': -"), "cut d(<a> 1 )");
  EXPECT_EQ(Read("{'a': 1, 'b': np.float64(0."), "cut d(<a> 1 )");
  EXPECT_EQ(Read(R"({'a': 1, 'b': '\u00)"), "cut d(<a> 1 )");
  EXPECT_EQ(Read(R"({'a': 1, 'b': '\)"), "cut d(<a> 1 )");
  EXPECT_EQ(Read("{'a': 1, 'b'"), "cut d(<a> 1 )");
  EXPECT_EQ(Read("{'a': 1, 'b':"), "cut d(<a> 1 )");
  EXPECT_EQ(Read("{'a': 1, 'b': [2, 3"), "cut d(<a> 1 <b> l(2 ) )");
  EXPECT_EQ(Read("{'a': {'b': {}"), "cut d(<a> d(<b> d() ) )");
  EXPECT_EQ(Read("{'a': 1, (2, 3"), "cut d(<a> 1 )");
  EXPECT_EQ(Read("{'a': 1, (2, 3)"), "cut d(<a> 1 )");
  EXPECT_EQ(Read("{(1, 2"), "cut d()");
  EXPECT_EQ(Read("(["), "cut t(l() )");
  EXPECT_EQ(Read("'abc"), "cut absent");
  EXPECT_EQ(Read("  "), "cut absent");
}

TEST(PythonLiteralTest, DepthSizeAndCountAreLimited) {
  const std::string open(64, '[');
  EXPECT_TRUE(Read(open + std::string(64, ']')).starts_with("l("));
  EXPECT_EQ(Read(open + "["), "too deep at 64");
  EXPECT_EQ(Read(std::string(1 << 20, '[')), "too deep at 64");
  PyDocument document;
  EXPECT_EQ(document.Parse("[1, 2]", {.bytes = 5}), PyStatus::kError);
  EXPECT_EQ(document.error(), "too long");
  EXPECT_EQ(document.Parse("[1, 2]", {.values = 2}), PyStatus::kError);
  EXPECT_EQ(document.error(), "too many values");
  EXPECT_EQ(document.Parse("[1, 2]", {.values = 3}), PyStatus::kOk);
  EXPECT_EQ(document.error(), "");
}

TEST(PythonLiteralTest, FindFollowsKeys) {
  PyDocument document;
  ASSERT_EQ(document.Parse("{'a': {'b': 1, 'c.d': 2, 'b': 3}, 'x.y': 4, "
                           "'x': {'y': 5}, 7: 8, 'l': [{'b': 9}]}"),
            PyStatus::kOk);
  const PyValue root = document.root();
  EXPECT_EQ(root.size(), 5u);
  EXPECT_EQ(root.Find("a.b").AsInt(), 3);  // the later one, as in python
  EXPECT_EQ(root.Find("a.c.d").AsInt(), 2);
  EXPECT_EQ(root.Find("x.y").AsInt(), 4);
  EXPECT_FALSE(root.Find("a.b.c").present());
  EXPECT_FALSE(root.Find("7").present());
  EXPECT_FALSE(root.Find("l.b").present());
  EXPECT_FALSE(root.Find("").present());
  EXPECT_FALSE(root.Find(".").present());
  EXPECT_FALSE(PyValue().Find("a").present());
  EXPECT_FALSE(root.Find("a").AsInt());
  EXPECT_FALSE(root.Find("a.b").AsBool());
  EXPECT_FALSE(root.Find("a.b").AsString());
}

// A value made by the test, and how pprint would print it.
struct Made {
  Kind kind = Kind::kNone;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<Made> children;
};

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  Made Make(int depth) {
    constexpr Kind kKinds[] = {Kind::kNone,  Kind::kBool,   Kind::kInt,
                               Kind::kFloat, Kind::kString, Kind::kString,
                               Kind::kTuple, Kind::kList,   Kind::kDict,
                               Kind::kDict,  Kind::kSet};
    Made made;
    made.kind = kKinds[Pick(depth > 0 ? 11 : 6)];
    made.integer = made.kind == Kind::kBool
                       ? static_cast<std::int64_t>(Pick(2))
                       : static_cast<std::int64_t>(random_()) - 2'000'000'000;
    made.real = static_cast<double>(Pick(2001)) / 8 - 125;
    if (made.kind == Kind::kString) made.text = MakeText();
    if (made.kind < Kind::kTuple) return made;
    const std::size_t items =
        Pick(5) + (made.kind == Kind::kSet ? 1 : 0);  // {} is a dict
    for (std::size_t i = 0; i < items; ++i) {
      if (made.kind == Kind::kDict) made.children.push_back(Make(0));
      made.children.push_back(Make(depth - 1));
    }
    return made;
  }

  std::size_t Pick(std::size_t below) { return random_() % below; }

 private:
  std::string MakeText() {
    static const std::vector<std::string> kPieces = {
        "a", "Z",  "/path/to", " ",  ",",  ":",      "{",          "]",
        "'", "\"", "\\",       "\n", "\t", "\u00e9", "\U0001F600", "#"};
    std::string text;
    for (std::size_t i = Pick(30); i > 0; --i) {
      text += kPieces[Pick(kPieces.size())];
    }
    return text;
  }

  std::mt19937 random_;
};

std::string Repr(std::string_view text) {
  const bool wants_double = text.find('\'') != std::string_view::npos &&
                            text.find('"') == std::string_view::npos;
  const char quote = wants_double ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') out += '\\';
    if (c == '\n' || c == '\t') {
      out += c == '\n' ? "\\n" : "\\t";
    } else {
      out += c;
    }
  }
  return out + quote;
}

// Strings in pieces of `width` bytes, items one under the other.
std::string Print(const Made& made, std::size_t indent, std::size_t width) {
  switch (made.kind) {
    case Kind::kNone:
      return "None";
    case Kind::kBool:
      return made.integer != 0 ? "True" : "False";
    case Kind::kInt:
      return std::to_string(made.integer);
    case Kind::kFloat:
      return std::to_string(made.real);
    case Kind::kString:
      break;
    default: {
      const bool is_list = made.kind == Kind::kList;
      const bool is_tuple = made.kind == Kind::kTuple;
      std::string out = is_list ? "[" : is_tuple ? "(" : "{";
      const std::string line = ",\n" + std::string(indent + 1, ' ');
      for (std::size_t i = 0; i < made.children.size(); ++i) {
        const bool is_dict_value = made.kind == Kind::kDict && i % 2 == 1;
        if (i != 0) out += is_dict_value ? ": " : line;
        const bool is_key = made.kind == Kind::kDict && i % 2 == 0;
        out += Print(made.children[i], indent + 1, is_key ? 10000 : width);
      }
      if (is_tuple && made.children.size() == 1) out += ",";
      return out + (is_list ? "]" : is_tuple ? ")" : "}");
    }
  }
  std::string out;
  for (std::size_t at = 0; at == 0 || at < made.text.size();) {
    std::size_t end = std::min(made.text.size(), at + width);
    // A character of several bytes stays whole.
    while (end < made.text.size() && (made.text[end] & '\xC0') == '\x80') ++end;
    if (at != 0) out += "\n" + std::string(indent, ' ');
    out += Repr(std::string_view(made.text).substr(at, end - at));
    if (end == at) break;
    at = end;
  }
  return out;
}

std::string Dump(const Made& made) {
  switch (made.kind) {
    case Kind::kNone:
      return "None";
    case Kind::kBool:
      return made.integer != 0 ? "True" : "False";
    case Kind::kInt:
      return std::to_string(made.integer);
    case Kind::kFloat:
      return "f" + std::to_string(made.real);
    case Kind::kString:
      return "<" + made.text + ">";
    default:
      break;
  }
  std::string out = made.kind == Kind::kTuple  ? "t("
                    : made.kind == Kind::kList ? "l("
                    : made.kind == Kind::kSet  ? "s("
                                               : "d(";
  for (const Made& child : made.children) out += Dump(child) + " ";
  return out + ")";
}

TEST(PythonLiteralTest, PrettyPrintedValuesComeBack) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Maker maker(seed);
    const Made made = maker.Make(6);
    const std::string text = Print(made, 0, 1 + maker.Pick(40));
    ASSERT_EQ(Read(text), Dump(made)) << text;
  }
}

// `part` is the front of `whole`: only its last item may lack something.
bool IsFrontOf(PyValue part, PyValue whole) {
  if (part.kind() < Kind::kTuple) return Dump(part) == Dump(whole);
  const bool is_undecided = part.size() == 0 && part.kind() == Kind::kDict &&
                            whole.kind() == Kind::kSet;
  if (is_undecided) return true;
  if (part.kind() != whole.kind() || part.size() > whole.size()) return false;
  PyValue a = part.First();
  PyValue b = whole.First();
  for (; a.present(); a = a.Next(), b = b.Next()) {
    const bool is_last = !a.Next().present();
    if (is_last ? !IsFrontOf(a, b) : Dump(a) != Dump(b)) return false;
  }
  return true;
}

TEST(PythonLiteralTest, EveryFrontOfATextIsCutAndInventsNothing) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Maker maker(seed);
    Made made;
    made.kind = Kind::kList;
    made.children = {maker.Make(4), maker.Make(4)};
    const std::string text = Print(made, 0, 1 + maker.Pick(40));
    PyDocument whole;
    ASSERT_EQ(whole.Parse(text), PyStatus::kOk);
    for (std::size_t size = 0; size < text.size(); ++size) {
      const std::string front = text.substr(0, size);
      PyDocument part;
      ASSERT_EQ(part.Parse(front), PyStatus::kCut) << part.error() << "\n"
                                                   << front;
      if (!part.root().present()) continue;
      ASSERT_TRUE(IsFrontOf(part.root(), whole.root())) << front;
    }
  }
}

}  // namespace
}  // namespace rlrun
