#include <algorithm>
#include <cctype>

#include "tests/alerts/alert.h"

namespace rlrun::alerts {
namespace {

constexpr std::string_view kUpdate =
    "# Made of the tables of exporter/signatures; after a change there:\n"
    "#   RLRUN_UPDATE_ALERTS=1 ctest -R AlertFiles\n";

// Each line behind `indent`.
std::string Lines(std::string_view text, std::string_view indent) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += std::string(indent) + std::string(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return out;
}

// A block scalar: nothing in it needs quotes.
std::string Block(std::string_view key, std::string_view text,
                  std::string_view indent) {
  return std::string(indent) + std::string(key) + ": |-\n" +
         Lines(text, std::string(indent) + "  ");
}

// A part of a path as RunPath writes it: a + there would be no space, and a
// browser takes `.` and `..` for a way up.
std::string PathPart(std::string_view value) {
  return "{{ " + std::string(value) +
         " | reReplaceAll `^(~*)([.]|[.][.]|-)$` `$1~$2` | urlquery | "
         "reReplaceAll `[+]` `%20` }}";
}

// At the exporter that sees the run.
std::string Url(const std::string& path) {
  return "{{ with " + Query("rlrun_info{run=%[1]q,project=%[2]q}") +
         " | sortByLabel \"instance\" }}http://{{ . | first | label "
         "\"instance\" }}" +
         path + "{{ end }}";
}

std::string RunUrl() {
  return Url("/runs/{{ if $labels.project }}" + PathPart("$labels.project") +
             "{{ else }}-{{ end }}/" + PathPart("$labels.run"));
}

// As the value of a query's parameter.
std::string QueryPart(std::string_view value) {
  return "{{ " + std::string(value) +
         " | urlquery | reReplaceAll `[+]` `%20` }}";
}

std::string RunbookUrl(const std::string& alert) {
  return Url("/runbooks/" + alert + "?project=" + QueryPart("$labels.project") +
             "&run=" + QueryPart("$labels.run"));
}

std::string RenderAlert(const Alert& alert) {
  return Lines(alert.comment, "      # ") + "      - alert: " + alert.name +
         "\n" + Block("expr", alert.expr, "        ") +
         "        keep_firing_for: 15m\n"
         "        labels:\n"
         "          severity: " +
         alert.severity + "\n          " + alert.subject + ": " + alert.id +
         "\n        annotations:\n" +
         Block("summary", alert.summary, "          ") +
         Block("description", alert.description, "          ") +
         Block("runbook_url", RunbookUrl(alert.name), "          ") +
         Block("run_url", RunUrl(), "          ");
}

std::string RenderMoment(const AlertTest& test, const TestMoment& moment) {
  std::string out = "      - eval_time: " + std::to_string(moment.minute) +
                    "m\n        alertname: " + test.alert + "\n";
  if (moment.severities.empty()) return out + "        exp_alerts: []\n";
  out += "        exp_alerts:\n";
  for (std::size_t i = 0; i < moment.severities.size(); ++i) {
    out +=
        "          - exp_labels:\n              project: lab\n"
        "              run: sums\n              severity: " +
        moment.severities[i] + "\n              " + test.subject + ": " +
        test.id + "\n            exp_annotations:\n" +
        Block("summary", moment.summaries[i], "              ") +
        Block("description", moment.descriptions[i], "              ") +
        "              runbook_url: " + TestRunbook(test.alert) +
        "\n              run_url: " + std::string(kTestUrl) + "\n";
  }
  return out;
}

}  // namespace

std::string TestRunbook(std::string_view alert) {
  return "http://node-a:10190/runbooks/" + std::string(alert) +
         "?project=lab&run=sums";
}

std::string AlertName(std::string_view middle, std::string_view name) {
  std::string out = "RLRun" + std::string(middle);
  bool start = true;
  for (const char c : name) {
    if (c == '_') {
      start = true;
      continue;
    }
    out += start ? static_cast<char>(std::toupper(c)) : c;
    start = false;
  }
  return out;
}

std::string FirstSentence(std::string_view text) {
  const std::size_t end = std::min(text.find(". "), text.find(": "));
  text = text.substr(0, end);
  if (text.ends_with('.')) text.remove_suffix(1);
  return std::string(text);
}

std::string Query(std::string_view query) {
  return "printf `" + std::string(query) +
         "` $labels.run $labels.project | query";
}

std::string RenderRecordingRules() {
  std::string out =
      "# One series per run, however many exporters see it; alerts read "
      "these.\n"
      "# The other rule files need this one.\n" +
      std::string(kUpdate) + "groups:\n  - name: rlrun-recording\n    rules:\n";
  for (const RecordingRule& rule : RecordingRules()) {
    out += "      - record: " + rule.name + "\n" +
           Block("expr", rule.expr, "        ");
  }
  return out;
}

std::string RenderRules(const RuleFile& file) {
  std::string out = Lines(file.comment, "# ") + std::string(kUpdate) +
                    "groups:\n  - name: " + file.group + "\n    rules:\n";
  for (const Alert& alert : file.alerts) out += RenderAlert(alert);
  return out;
}

std::string RenderTests(const RuleFile& file, std::string_view rules) {
  std::string out =
      "# promtool test rules: each alert silent, firing, resolved.\n" +
      std::string(kUpdate) +
      "rule_files:\n  - ../../../alerts/recording.rules.yaml\n"
      "  - ../../../alerts/" +
      std::string(rules) + "\nevaluation_interval: 1m\ntests:\n";
  for (const AlertTest& test : file.tests) {
    out += "  - name: " + test.name + "\n    interval: 1m\n    input_series:\n";
    for (const TestSeries& series : test.series) {
      const std::string comma = series.labels.empty() ? "" : ",";
      // Two exporters see the run of the test, and it is one alert.
      for (const char exporter : {'a', 'b'}) {
        if (exporter == 'b' && series.run != "sums") continue;
        out += "      - series: '" + series.metric + "{run=\"" + series.run +
               "\",project=\"lab\"" + comma + series.labels +
               ",instance=\"node-" + exporter +
               ":10190\",job=\"rlrun_exporter\"}'\n        values: '" +
               series.values + "'\n";
      }
    }
    out += "    alert_rule_test:\n";
    for (const TestMoment& moment : test.moments) {
      out += RenderMoment(test, moment);
    }
  }
  return out;
}

}  // namespace rlrun::alerts
