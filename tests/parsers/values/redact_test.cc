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
      {"run --token s3cr3t --n 4", "run --token *** --n 4"},
      {"run --hf-token 's3 cr3t' x", "run --hf-token '***' x"},
      {"run --api-key=s3cr3t", "run --api-key=***"},
      {"cookie: session=abc; id=def", "cookie: ***"},
      {"{'Set-Cookie': 'a=b; c=d', 'n': 1}", "{'Set-Cookie': '***', 'n': 1}"},
      {"-----BEGIN PRIVATE KEY----- MIIEvQ IBADAN",
       "-----BEGIN PRIVATE KEY-----***"},
      {"-----BEGIN RSA PRIVATE KEY-----MIIE-----END RSA PRIVATE KEY----- ok",
       "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY----- ok"},
      {"nvapi-AbCdEfGh1234", "***"},
      {"npm_AbCdEfGh1234", "***"},
      {"dckr_pat_AbCdEfGh1234", "***"},
      {"tvly-AbCdEfGh1234", "***"},
      {"wandb_v1_AbCdEfGh1234", "***"},
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
        "a task-abcdefghijklmnop", "bearer of news", "--num-tokens 4096",
        "use --token", "--token --n 4", "--max_token 4096", "the token is bad",
        "-----BEGIN CERTIFICATE----- MIIE"}) {
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
