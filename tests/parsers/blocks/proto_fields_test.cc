#include "parsers/blocks/proto_fields.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/metric_files.h"

namespace rlrun {
namespace {

using namespace std::string_view_literals;

TEST(ProtoFieldsTest, EveryKindOfFieldInItsOrder) {
  const std::string text = ProtoMessage()
                               .Int(1, 300)
                               .Bytes(16, "hi")
                               .Float(5, 0.5f)
                               .Double(536870911, -2)
                               .Int(2, -1)
                               .text();
  ProtoFields f(text);
  ASSERT_TRUE(f.Next());
  EXPECT_TRUE(f.Is(1, ProtoFields::Type::kVarint));
  EXPECT_EQ(f.value(), 300u);
  ASSERT_TRUE(f.Next());
  EXPECT_TRUE(f.Is(16, ProtoFields::Type::kBytes));
  EXPECT_EQ(f.bytes(), "hi");
  ASSERT_TRUE(f.Next());
  EXPECT_EQ(LoadFloat(f.bytes()), 0.5f);
  ASSERT_TRUE(f.Next());
  EXPECT_EQ(f.number(), 536870911u);
  EXPECT_EQ(LoadDouble(f.bytes()), -2);
  ASSERT_TRUE(f.Next());
  EXPECT_EQ(static_cast<std::int64_t>(f.value()), -1);
  EXPECT_FALSE(f.Next());
  EXPECT_FALSE(f.damaged());
}

TEST(ProtoFieldsTest, WhatEndsTooEarlyIsDamaged) {
  for (const std::string_view text :
       {"\x08"sv, "\x08\x80"sv, "\x12\x05hi"sv, "\x09\x00\x00"sv, "\x0D\x00"sv,
        "\x12\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"sv}) {
    ProtoFields f(text);
    EXPECT_FALSE(f.Next());
    EXPECT_TRUE(f.damaged());
    EXPECT_FALSE(f.Next());
  }
}

TEST(ProtoFieldsTest, GroupsFieldZeroAndEndlessVarintsAreDamaged) {
  for (const std::string_view text :
       {"\x0B\x0C"sv, "\x00\x01"sv, "\x07"sv,
        "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"sv}) {
    ProtoFields f(text);
    EXPECT_FALSE(f.Next());
    EXPECT_TRUE(f.damaged());
  }
}

}  // namespace
}  // namespace rlrun
