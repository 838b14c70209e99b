#include "parsers/values/redact.h"

#include <gtest/gtest.h>

#include <string>

namespace rlrun {
namespace {

// Invented secrets only.
TEST(RedactTest, WhatLooksLikeASecretIsMasked) {
  const struct {
    const char* text;
    const char* want;
  } kCases[] = {
      {"key sk-abcdefgh12345678 bad", "key *** bad"},
      {"sk-proj-Abc_def-0123456789", "***"},
      {"token hf_AbCdEfGhIjKlMnOp refused", "token *** refused"},
      {"(ghp_0123456789abcdefABCD)", "(***)"},
      {"id AKIAABCDEFGHIJKLMNOP", "id ***"},
      {"Authorization: Bearer abc.def-123456", "Authorization: ***"},
      {"sent bearer abcdef1234567890.", "sent bearer ***"},
      {"login 0123456789abcdef0123456789abcdef01234567 ok", "login *** ok"},
      {"api_key=hunter22, next=1", "api_key=***, next=1"},
      {"OPENAI_API_KEY: 'hunter22'", "OPENAI_API_KEY: '***'"},
      {"{\"password\": \"a b c\"}", "{\"password\": \"***\"}"},
      {"password=x", "password=***"},
      {"access_token=qwertz&x=1", "access_token=***&x=1"},
      {"clone https://me:geheim@host.example/x",
       "clone https://me:***@host.example/x"},
      {"clone https://geheim@host.example/x",
       "clone https://***@host.example/x"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Redact(c.text), c.want);
}

TEST(RedactTest, OrdinaryTextIsKept) {
  for (const std::string text :
       {"", "step sk-1 of task-12", "#token: 2266, token usage: 0.00",
        "KeyError: 'a'", "key: value", "monkey=3", "num_tokens=4096",
        "http://10.0.0.1:8000/v1", "commit 0123456789abcdef",
        "a task-abcdefghijklmnop", "bearer of news"}) {
    EXPECT_EQ(Redact(text), text);
  }
}

TEST(RedactTest, SecretAcrossTheCutIsMasked) {
  const std::string text = std::string(8, 'x') + " hf_AbCdEfGhIjKlMnOpQrSt";
  EXPECT_EQ(RedactFront(text, 12), "xxxxxxxx ***");
}

TEST(RedactTest, CutKeepsWholeCharacters) {
  EXPECT_EQ(RedactFront("ab\xc3\xa4", 3), "ab");
  EXPECT_EQ(RedactFront("ab\xc3\xa4", 4), "ab\xc3\xa4");
}

}  // namespace
}  // namespace rlrun
