#include <cstdio>

#include "tests/scenarios/scenario.h"

namespace rlrun::scenarios {
namespace {

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string Field(std::string_view name, const std::string& json) {
  return ", " + Quoted(name) + ": " + json;
}

std::string Number(const std::optional<int>& value) {
  return value ? std::to_string(*value) : "null";
}

std::string Texts(const std::vector<std::string>& texts) {
  std::string json;
  for (const std::string& text : texts) {
    json += (json.empty() ? "" : ", ") + Quoted(text);
  }
  return "[" + json + "]";
}

std::string CompanionJson(const Companion& companion) {
  return "{\"signature\": " + Quoted(companion.signature) +
         Field("level", Quoted(companion.level)) +
         Field("reason", Quoted(companion.reason)) + "}";
}

std::string ExpectationJson(const Expectation& e) {
  std::string companions;
  for (const Companion& companion : e.companions) {
    companions += (companions.empty() ? "" : ", ") + CompanionJson(companion);
  }
  return "{\"scenario\": " + Quoted(e.scenario) +
         Field("project", Quoted(e.project)) + Field("run", Quoted(e.run)) +
         Field("log", Quoted(e.log)) + Field("record", Quoted(e.record)) +
         Field("signature", Quoted(e.signature)) +
         Field("level", Quoted(e.level)) +
         Field("since_step", Number(e.since_step)) +
         Field("by_step", Number(e.by_step)) +
         Field("age_seconds",
               e.age_seconds
                   ? std::to_string(static_cast<std::int64_t>(*e.age_seconds))
                   : "null") +
         Field("evidence", Texts(e.evidence)) +
         Field("companions", "[" + companions + "]") +
         Field("checks", Texts(e.checks)) + Field("state", Quoted(e.state)) +
         Field("decision", e.decision.empty() ? "null" : Quoted(e.decision)) +
         Field("exit_code", std::to_string(e.exit_code)) +
         Field("at", std::to_string(e.at)) +
         Field("steps", std::to_string(e.steps)) +
         Field("needs_process", e.needs_process ? "true" : "false") + "}";
}

}  // namespace

std::string LedgerJson(const std::vector<Expectation>& ledger) {
  std::string json = "[\n";
  for (std::size_t i = 0; i < ledger.size(); ++i) {
    json += ExpectationJson(ledger[i]);
    json += i + 1 < ledger.size() ? ",\n" : "\n";
  }
  return json + "]\n";
}

}  // namespace rlrun::scenarios
