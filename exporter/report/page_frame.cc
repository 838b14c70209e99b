#include "exporter/report/page_frame.h"

#include <algorithm>

#include "exporter/report/html.h"
#include "exporter/report/page_style.h"

namespace rlrun {

std::string PageHref(const PageLinks& links, std::string_view path) {
  return "\"" + EncodePath(links.root) + EscapeHtml(path) + "\"";
}

std::string_view PageIcon() {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\">"
         "<rect width=\"32\" height=\"32\" rx=\"7\" fill=\"#0a58a8\"/><path "
         "d=\"M5 24l7-7 5 4L27 8\" fill=\"none\" stroke=\"#fff\" "
         "stroke-width=\"3\"/></svg>\n";
}

std::string PageBegin(const PageLinks& links, std::string_view title,
                      const std::string& nav) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<link rel=\"icon\" type=\"image/svg+xml\" href=" +
      PageHref(links, "/favicon.svg") + ">\n";
  if (links.refresh > 0) {
    out += "<meta http-equiv=\"refresh\" content=\"" +
           std::to_string(links.refresh) + "\">\n";
  }
  out += "<title>" + EscapeHtml(title) + "</title>\n<style>";
  out += kPageStyle;
  return out +
         "</style>\n</head>\n<body>\n<header class=\"site\"><nav "
         "aria-label=\"Site\">" +
         nav + "</nav></header>\n<main>\n";
}

std::string PageEnd(const std::string& footer) {
  return "</main>\n<footer>" + footer + "</footer>\n</body>\n</html>\n";
}

std::string Isolated(std::string_view text) {
  return "<bdi>" + EscapeHtml(text) + "</bdi>";
}

std::string Breakable(std::string_view name) {
  std::string out;
  for (const char c : EscapeHtml(name)) {
    out += c;
    if (c == '_' || c == '/' || c == '.') out += "<wbr>";
  }
  return "<bdi>" + out + "</bdi>";
}

std::string Words(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

std::string Pill(std::string_view name) {
  return "<span class=\"pill " + EscapeHtml(name) + "\">" +
         EscapeHtml(Words(name)) + "</span>";
}

std::string TableCell(std::string_view label, const std::string& html,
                      std::string_view style) {
  std::string out = "<td role=\"cell\"";
  if (!style.empty()) out.append(" class=\"").append(style).append("\"");
  return out + " data-label=\"" + EscapeHtml(label) + "\"><span>" + html +
         "</span></td>";
}

std::string ProgressBar(double part, double whole) {
  const double share = whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0;
  return "<svg class=\"bar\" viewBox=\"0 0 1000 10\" "
         "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
         "height=\"10\" "
         "width=\"" +
         std::to_string(static_cast<int>(share * 1000 + 0.5)) +
         "\"></rect></svg>";
}

}  // namespace rlrun
