// What Alertmanager's webhook sends, as data and as text for a terminal.
// Plain data and pure functions; safe from any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rlrun::notify {

struct NotifiedAlert {
  bool firing = false;  // else resolved
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  std::string starts_at;  // as Alertmanager writes it: RFC 3339

  const std::string& label(const std::string& name) const;  // empty: none
  const std::string& annotation(const std::string& name) const;
};

struct Notification {
  std::string receiver;
  std::map<std::string, std::string> group;  // labels
  std::vector<NotifiedAlert> alerts;
};

// No alerts: the text is no notification.
Notification ParseNotification(std::string_view json);

// Who, what, since when, evidence, what next, runbook; each line of `text`
// behind `when`, which tells the time of arrival.
std::string PrintNotification(const Notification& notification,
                              std::string_view when);

}  // namespace rlrun::notify
