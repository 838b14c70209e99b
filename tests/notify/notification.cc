#include "tests/notify/notification.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <cctype>

namespace rlrun::notify {
namespace {

std::string Text(const rapidjson::Value& object, const char* name) {
  const auto member = object.FindMember(name);
  return member != object.MemberEnd() && member->value.IsString()
             ? std::string(member->value.GetString(),
                           member->value.GetStringLength())
             : "";
}

std::map<std::string, std::string> Texts(const rapidjson::Value& object,
                                         const char* name) {
  std::map<std::string, std::string> out;
  const auto member = object.FindMember(name);
  if (member == object.MemberEnd() || !member->value.IsObject()) return out;
  for (const auto& pair : member->value.GetObject()) {
    if (pair.value.IsString()) {
      out[pair.name.GetString()] = pair.value.GetString();
    }
  }
  return out;
}

const std::string& Find(const std::map<std::string, std::string>& texts,
                        const std::string& name) {
  static const std::string kNone;
  const auto at = texts.find(name);
  return at == texts.end() ? kNone : at->second;
}

std::string Upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return static_cast<char>(std::toupper(c));
  });
  return text;
}

std::string Indented(std::string_view text) {
  std::string out = "    ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "    ";
  }
  return out + "\n";
}

// `2026-03-01T10:20:31.5Z` -> `10:20:31 UTC`; anything else stays.
std::string TimeOfDay(const std::string& stamp) {
  if (stamp.size() < 20 || stamp.back() != 'Z') return stamp;
  return stamp.substr(11, 8) + " UTC";
}

}  // namespace

const std::string& NotifiedAlert::label(const std::string& name) const {
  return Find(labels, name);
}

const std::string& NotifiedAlert::annotation(const std::string& name) const {
  return Find(annotations, name);
}

Notification ParseNotification(std::string_view json) {
  Notification out;
  rapidjson::Document document;
  document.Parse(json.data(), json.size());
  if (document.HasParseError() || !document.IsObject()) return out;
  out.receiver = Text(document, "receiver");
  out.group = Texts(document, "groupLabels");
  const auto alerts = document.FindMember("alerts");
  if (alerts == document.MemberEnd() || !alerts->value.IsArray()) return out;
  for (const rapidjson::Value& alert : alerts->value.GetArray()) {
    if (!alert.IsObject()) continue;
    out.alerts.push_back({Text(alert, "status") == "firing",
                          Texts(alert, "labels"), Texts(alert, "annotations"),
                          Text(alert, "startsAt")});
  }
  return out;
}

std::string PrintNotification(const Notification& notification,
                              std::string_view when) {
  std::string out;
  for (const NotifiedAlert& alert : notification.alerts) {
    out += std::string(when) + " ";
    if (alert.firing) {
      out += Upper(alert.label("severity")) + " " + alert.label("alertname") +
             ", since " + TimeOfDay(alert.starts_at) + "\n" +
             Indented(alert.annotation("description")) +
             Indented("Runbook: " + alert.annotation("runbook_url"));
      if (!alert.annotation("run_url").empty()) {
        out += Indented("Run: " + alert.annotation("run_url"));
      }
    } else {
      out += "RESOLVED " + alert.label("alertname") + "\n" +
             Indented(alert.annotation("summary"));
    }
    out += "\n";
  }
  return out;
}

}  // namespace rlrun::notify
