// What of a JSON report is not as exporter/report/status.schema.json says.
// For tests, which run in the root of the source tree.
#pragma once

#include <rapidjson/document.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>

#include <fstream>
#include <iterator>
#include <string>

namespace rlrun {

// Empty: it is as described.
inline std::string SchemaError(const std::string& json) {
  std::ifstream in("exporter/report/status.schema.json", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  rapidjson::Document schema_json, report;
  if (schema_json.Parse(text.c_str()).HasParseError()) return "no schema";
  if (report.Parse(json.c_str()).HasParseError()) return "no JSON: " + json;
  const rapidjson::SchemaDocument schema(schema_json);
  rapidjson::SchemaValidator validator(schema);
  if (report.Accept(validator)) return "";
  rapidjson::StringBuffer place, rule;
  validator.GetInvalidDocumentPointer().StringifyUriFragment(place);
  validator.GetInvalidSchemaPointer().StringifyUriFragment(rule);
  return std::string(place.GetString()) + " breaks " + rule.GetString() +
         " by " + validator.GetInvalidSchemaKeyword();
}

}  // namespace rlrun
