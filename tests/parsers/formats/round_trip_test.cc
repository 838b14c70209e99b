// Random valid step lines, as trainers print them and as terminals, collectors
// and chunks mangle them, come back exactly.
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "parsers/formats/log_format.h"
#include "parsers/lines/line_splitter.h"

namespace rlrun {
namespace {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::size_t Below(std::size_t n) { return random_() % n; }
  bool Chance(std::size_t n) { return Below(n) == 0; }
  template <class T>
  T Of(std::initializer_list<T> all) {
    return all.begin()[Below(all.size())];
  }

  std::string Word() {
    static constexpr std::string_view kLetters =
        "abcdefghijklmnopqrstuvwxyz0123456789_.-";
    std::string word(1, kLetters[Below(26)]);
    for (std::size_t n = Below(12); n > 0; --n) {
      word += kLetters[Below(kLetters.size())];
    }
    return word;
  }

  std::string Key() {
    if (Chance(6)) {
      return Of<std::string>({"val-core/", "val-aux/"}) + Word() +
             Of<std::string>({"", " ", ": ", " - ", ":", "/", " \u00e9 "}) +
             Word() + "/" + Word() + "/mean@" + std::to_string(Below(64));
    }
    std::string key = Word();
    for (std::size_t n = Below(4); n > 0; --n) {
      key += Of<std::string>({"/", "/", "/", " ", "@", "(1e-3)/"}) + Word();
    }
    return key;
  }

  double Value() {
    switch (Below(8)) {
      case 0:
        return Of({0.0, -0.0, 1.0, HUGE_VAL, -HUGE_VAL, std::nan(""), 1e22});
      case 1:
        return static_cast<double>(random_() % 1'000'000'000);
      case 2:
        return std::bit_cast<double>(random_());
      default:
        return std::ldexp(static_cast<double>(random_()), -64) *
               std::pow(10, static_cast<double>(Below(20)) - 10);
    }
  }

  // As python and numpy print it.
  std::string Text(double value) {
    std::string text;
    if (std::isnan(value)) {
      text = "nan";
    } else if (std::isinf(value)) {
      text = value < 0 ? "-inf" : "inf";
    } else {
      char buffer[64];
      const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
      text.assign(buffer, end.ptr);
      if (text.find_first_of(".e") == std::string::npos && Chance(2)) {
        text += ".0";
      }
    }
    if (Chance(3)) text = "np.float64(" + text + ")";
    return text;
  }

  std::string Front() {
    std::string front =
        Of<std::string>({"", "", "  ", "12:", "2026-01-02T03:04:05Z "});
    const bool foreign = front.size() > 2;
    for (std::size_t n = foreign ? 1 + Below(2) : Below(3); n > 0; --n) {
      const bool colour = Chance(2);
      if (colour) front += "\x1b[36m";
      front += "(" + Of<std::string>({"TaskRunner ", "A b ", ""}) +
               "pid=" + std::to_string(Below(99999)) +
               Of<std::string>({"", ", ip=10.0.0.7"}) + ")";
      if (colour) front += "\x1b[0m";
      front += " ";
    }
    front += Of<std::string>(
        {"", "", "\r", "\x1b[K", "bar\r", "1%| | 1/9 [00:01<00:09, 1.0s/it]"});
    return front;
  }

 private:
  std::mt19937_64 random_;
};

struct Expected {
  std::int64_t step = 0;
  std::vector<std::pair<std::string, double>> pairs;
};

std::string MakeLine(Generator* g, Expected* want) {
  want->step = static_cast<std::int64_t>(g->Below(100'000));
  std::string line = g->Front() + "step:" + std::to_string(want->step);
  for (std::size_t n = 1 + g->Below(30); n > 0; --n) {
    want->pairs.emplace_back(g->Key(), g->Value());
    line += " - " + want->pairs.back().first + ":";
    line += g->Text(want->pairs.back().second);
  }
  if (g->Chance(4)) line += "\x1b[32m [repeated 2x across cluster]\x1b[0m";
  return line + g->Of<std::string>({"\n", "\r\n", "\r"});
}

TEST(RoundTripTest, RandomStepLinesComeBackExactly) {
  Generator g(2026);
  for (int round = 0; round < 3000; ++round) {
    std::vector<Expected> want(1 + g.Below(4));
    std::string bytes;
    for (Expected& e : want) {
      bytes += MakeLine(&g, &e);
      if (g.Chance(2)) bytes += "a line in between\n";
    }
    LineSplitter splitter;
    const auto format = MakeLogFormat(FormatKind::kVerlConsole);
    LogFacts facts;
    const std::size_t chunk = 1 + g.Below(400);
    for (std::size_t at = 0; at < bytes.size(); at += chunk) {
      splitter.Feed(std::string_view(bytes).substr(at, chunk),
                    [&](std::span<const Line> lines) {
                      format->ParseLines(lines, &facts);
                    });
    }
    ASSERT_EQ(facts.steps.size(), want.size()) << bytes;
    ASSERT_EQ(facts.values_skipped, LogFacts().values_skipped) << bytes;
    for (std::size_t i = 0; i < want.size(); ++i) {
      const StepRecord& got = facts.steps[i];
      ASSERT_EQ(got.step, want[i].step) << bytes;
      ASSERT_FALSE(got.cut) << bytes;
      ASSERT_EQ(got.pairs.size(), want[i].pairs.size()) << bytes;
      for (std::size_t k = 0; k < got.pairs.size(); ++k) {
        const auto& [key, value] = want[i].pairs[k];
        ASSERT_EQ(got.Key(got.pairs[k]), key) << bytes;
        if (std::isnan(value)) {
          ASSERT_TRUE(std::isnan(got.pairs[k].value)) << bytes;
        } else {
          ASSERT_EQ(std::bit_cast<std::uint64_t>(got.pairs[k].value),
                    std::bit_cast<std::uint64_t>(value))
              << key;
        }
      }
    }
  }
}

}  // namespace
}  // namespace rlrun
