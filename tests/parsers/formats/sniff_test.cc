#include <gtest/gtest.h>

#include <string>

#include "parsers/formats/log_format.h"

namespace rlrun {
namespace {

using namespace std::string_literals;

TEST(SniffTest, Records) {
  for (const std::string& head :
       {R"({"step": 1, "data": {"a": 1}})"s, R"({"step":1,"data":{"a":)"s,
        R"({"data": {"a": 1}, "step": 1})"s,
        "\xEF\xBB\xBF\n\r\n  { \"step\" : 1.0 , \"data\":{}}\nhello"s,
        "\0\0{\"step\":1,\"data\":{}}\n"s}) {
    EXPECT_EQ(SniffFormat(head), FormatKind::kVerlJsonl) << head;
  }
}

TEST(SniffTest, EverythingElseIsConsole) {
  for (const std::string& head :
       {""s, "\n\n"s, "hello"s, "step:1 - a:1\n{\"step\":1,\"data\":{}}"s,
        R"({"version": 2, "width": 80})"s, R"({"step": 1, "loss": 0.5})"s,
        R"({"step": "x", "data": {}})"s, R"({"step": 1})"s, R"({"data": 5})"s,
        R"({"stepper": 1, "data": {}})"s, "{\"step\": 1,\n\"data\": {}}"s,
        "{"s}) {
    EXPECT_EQ(SniffFormat(head), FormatKind::kVerlConsole) << head;
  }
}

TEST(SniffTest, EachKindHasItsFormat) {
  EXPECT_EQ(MakeLogFormat(FormatKind::kVerlConsole)->name(), "verl_console");
  EXPECT_EQ(MakeLogFormat(FormatKind::kVerlJsonl)->name(), "verl_jsonl");
}

}  // namespace
}  // namespace rlrun
