#include "exporter/report/markdown_html.h"

#include <algorithm>

#include "exporter/report/html.h"
#include "exporter/report/runbooks.h"

namespace rlrun {
namespace {

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9');
}

class MarkdownWriter {
 public:
  MarkdownWriter(int level, std::string_view link, std::string_view link_end)
      : level_(level), link_(link), link_end_(link_end) {}

  std::string Write(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      Line(text.substr(0, end));
      text = end == text.npos ? std::string_view() : text.substr(end + 1);
    }
    End();
    return std::move(out_);
  }

 private:
  void Line(std::string_view line) {
    if (line.starts_with("```")) {
      if (is_code_) {
        out_ += "<pre>" + block_ + "</pre>\n";
        block_.clear();
      } else {
        End();
      }
      is_code_ = !is_code_;
    } else if (is_code_) {
      block_ += EscapeHtml(line) + "\n";
    } else if (line.empty()) {
      EndItem();
    } else if (line[0] == '#') {
      Heading(line);
    } else {
      Text(line);
    }
  }

  void Heading(std::string_view line) {
    End();
    const std::size_t marks = line.find_first_not_of('#');
    if (marks == line.npos) return;
    const std::string tag =
        "h" + std::to_string(std::min(level_ + static_cast<int>(marks) - 1, 6));
    line.remove_prefix(std::min(line.size(), marks + 1));
    out_ += "<" + tag + ">" + EscapeHtml(line) + "</" + tag + ">\n";
  }

  // A paragraph's line, or an item of a list, or what goes on with either.
  void Text(std::string_view line) {
    const std::size_t digits = line.find_first_not_of("0123456789");
    const bool numbered = digits != 0 && digits != line.npos &&
                          line.substr(digits).starts_with(". ");
    const bool item = numbered || line.starts_with("- ");
    if (item) {
      EndItem();
      Open(numbered ? "ol" : "ul");
      line.remove_prefix(numbered ? digits + 2 : 2);
    } else if (block_.empty() && !line.starts_with(' ')) {
      Open("");
    }
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == line.npos) return;
    if (!block_.empty()) block_ += ' ';
    block_ += line.substr(begin);
  }

  void Open(std::string_view list) {
    if (list_ == list) return;
    if (!list_.empty()) out_ += "</" + list_ + ">\n";
    list_ = list;
    if (!list_.empty()) out_ += "<" + list_ + ">\n";
  }

  void EndItem() {
    if (block_.empty()) return;
    const char* tag = list_.empty() ? "p" : "li";
    out_ += std::string("<") + tag + ">" + Inline(block_) + "</" + tag + ">\n";
    block_.clear();
  }

  void End() {
    EndItem();
    Open("");
  }

  std::string Inline(std::string_view text) const {
    std::string out;
    bool code = false;
    while (!text.empty()) {
      const std::size_t end = text.find('`');
      const std::string_view part = text.substr(0, end);
      out += code ? Code(part) : Linked(part);
      if (end == text.npos) break;
      out += code ? "</code>" : "<code>";
      code = !code;
      text.remove_prefix(end + 1);
    }
    return code ? out + "</code>" : out;
  }

  // A narrow page may break a query between its labels.
  static std::string Code(std::string_view text) {
    std::string out;
    for (const char c : EscapeHtml(text)) {
      out += c;
      if (c == '{' || c == ',') out += "<wbr>";
    }
    return out;
  }

  std::string Linked(std::string_view text) const {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at;
      while (end < text.size() && IsLetter(text[end])) ++end;
      const std::string_view word = text.substr(at, std::max(end, at + 1) - at);
      if (!link_.empty() && FindRunbook(word) != nullptr) {
        out += "<a href=\"" + EscapeHtml(link_) + EncodePath(word) +
               EscapeHtml(link_end_) + "\">" + EscapeHtml(word) + "</a>";
      } else {
        out += EscapeHtml(word);
      }
      at += word.size();
    }
    return out;
  }

  const int level_;
  const std::string_view link_, link_end_;
  std::string out_, block_, list_;
  bool is_code_ = false;
};

}  // namespace

std::string MarkdownHtml(std::string_view text, int level,
                         std::string_view link, std::string_view link_end) {
  return MarkdownWriter(level, link, link_end).Write(text);
}

std::string_view MarkdownSection(std::string_view text, std::string_view name) {
  const std::string heading = "\n## " + std::string(name) + "\n";
  const std::size_t begin = text.find(heading);
  if (begin == text.npos) return {};
  return text.substr(begin + 1, text.find("\n## ", begin + 1) - begin);
}

}  // namespace rlrun
