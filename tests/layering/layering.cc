#include "tests/layering/layering.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <system_error>

namespace rlrun::layering {
namespace {

using Names = std::set<std::string, std::less<>>;
using Table = std::map<std::string, Names, std::less<>>;

// Behind each room: the rooms whose headers it may include, besides its own.
// `main` is exporter/main.cc.
const Table& Doors() {
  static const Table table = {
      {"parsers/model", {}},
      {"parsers/lines", {}},
      // Its stamps and line classes are structs of model.
      {"parsers/values", {"parsers/model"}},
      {"parsers/blocks", {}},
      {"parsers/formats",
       {"parsers/model", "parsers/lines", "parsers/values", "parsers/blocks"}},
      {"exporter/store", {"parsers/model"}},
      {"exporter/signatures", {"parsers/model", "exporter/store"}},
      {"exporter/tail", {"parsers/lines"}},
      {"exporter/discovery", {"parsers/model", "exporter/tail"}},
      {"exporter/process", {"parsers/model"}},
      // Its totals are structs of store.
      {"exporter/trials",
       {"parsers/model", "parsers/values", "parsers/formats", "exporter/store",
        "exporter/tail"}},
      {"exporter/records",
       {"parsers/model", "parsers/formats", "exporter/store", "exporter/tail"}},
      {"exporter/metrics",
       {"parsers/model", "parsers/values", "exporter/store",
        "exporter/signatures", "exporter/exposition"}},
      // Texts are repaired as they are for the exposition.
      {"exporter/report",
       {"parsers/model", "exporter/store", "exporter/signatures",
        "exporter/exposition"}},
      {"exporter/exposition", {}},
      {"exporter/web",
       {"exporter/metrics", "exporter/exposition", "exporter/report"}},
      // Also the options.h of every room; metrics checks the templates of keys,
      // web the names of ciphers and the hashes of passwords.
      {"exporter/config",
       {"exporter/metrics", "exporter/web", "parsers/values"}},
      {"exporter/app", {"*"}},
      {"main", {"exporter/app", "exporter/config"}},
  };
  return table;
}

// Behind the beginning of a third-party header: the rooms that may include it.
const Table& Libraries() {
  static const Table table = {
      {"yaml-cpp/", {"exporter/config"}},
      {"spdlog/", {"exporter/app"}},
      {"httplib.h", {"exporter/web"}},
      {"prometheus/",
       {"exporter/exposition", "exporter/metrics", "exporter/app"}},
      {"boost/", {"exporter/tail", "exporter/discovery", "exporter/trials"}},
      {"CLI/", {"main"}},
      {"regex", {}},
  };
  return table;
}

// `exporter/tail/x.h` -> `exporter/tail`; `exporter/main.cc` -> `main`; empty:
// the path is in no folder of a room.
std::string RoomOf(std::string_view path) {
  if (path == "exporter/main.cc") return "main";
  const std::size_t first = path.find('/');
  if (first == std::string_view::npos) return "";
  const std::size_t second = path.find('/', first + 1);
  if (second == std::string_view::npos) return "";
  return std::string(path.substr(0, second));
}

bool IsOurs(std::string_view header) {
  return header.starts_with("parsers/") || header.starts_with("exporter/") ||
         header.starts_with("tests/");
}

// The path of an `#include` line; empty: the line is none.
std::string_view IncludeOf(std::string_view line) {
  const auto skip_blanks = [&line] {
    while (!line.empty() && (line[0] == ' ' || line[0] == '\t')) {
      line.remove_prefix(1);
    }
  };
  skip_blanks();
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
  skip_blanks();
  if (!line.starts_with("include")) return {};
  line.remove_prefix(7);
  skip_blanks();
  if (line.empty() || (line[0] != '"' && line[0] != '<')) return {};
  const char close = line[0] == '"' ? '"' : '>';
  line.remove_prefix(1);
  return line.substr(0, line.find(close));
}

bool DoorOpen(const std::string& room, std::string_view header) {
  if (header.starts_with("tests/")) return false;
  const std::string target = RoomOf(header);
  if (target == room) return true;
  const auto row = Doors().find(room);
  if (row == Doors().end()) return false;
  if (row->second.contains("*") || row->second.contains(target)) return true;
  return room == "exporter/config" && header.ends_with("/options.h");
}

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// True if `word` stands in `line` and no longer word begins in front of it.
bool HasWord(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string_view::npos;
       at = line.find(word, at + 1)) {
    if (at == 0 || !IsWordCharacter(line[at - 1])) return true;
  }
  return false;
}

bool MayHaveClock(const std::string& room) {
  return !room.starts_with("parsers/") && room != "exporter/signatures";
}

// What is wrong with one line; empty: nothing.
std::string Judge(const std::string& room, std::string_view line) {
  const std::string header(IncludeOf(line));
  if (!header.empty()) {
    if (IsOurs(header)) {
      return DoorOpen(room, header) ? "" : room + " may not include " + header;
    }
    for (const auto& [library, rooms] : Libraries()) {
      if (header.starts_with(library) && !rooms.contains(room)) {
        return room + " may not include <" + header + ">";
      }
    }
    return "";
  }
  if (HasWord(line, "std::regex")) return "std::regex is banned";
  if (!MayHaveClock(room)) {
    for (const std::string_view word : {"system_clock", "time("}) {
      if (HasWord(line, word)) {
        return room + " knows no clock, but uses " + std::string(word);
      }
    }
  }
  return "";
}

}  // namespace

std::vector<SourceFile> ReadTree(const std::string& root) {
  namespace fs = std::filesystem;
  std::vector<SourceFile> files;
  for (const char* top : {"parsers", "exporter"}) {
    std::error_code error;
    fs::recursive_directory_iterator it(fs::path(root) / top, error);
    for (; !error && it != fs::recursive_directory_iterator();
         it.increment(error)) {
      const fs::path& path = it->path();
      if (path.extension() != ".h" && path.extension() != ".cc") continue;
      std::ifstream in(path, std::ios::binary);
      files.push_back({path.lexically_relative(root).generic_string(),
                       std::string(std::istreambuf_iterator<char>(in), {})});
    }
    if (error) return {};
  }
  std::sort(
      files.begin(), files.end(),
      [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::string BlankCommentsAndLiterals(std::string_view text) {
  std::string out(text);
  enum { kCode, kLineComment, kBlockComment, kString, kChar } state = kCode;
  bool include_line = false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '\n') {
      if (state != kBlockComment) state = kCode;
      include_line = false;
      continue;
    }
    if (state == kCode) {
      if (c == '#') include_line = true;
      if (c == '/' && next == '/') state = kLineComment;
      if (c == '/' && next == '*') state = kBlockComment;
      if (c == '"' && !include_line) state = kString;
      // Not the separator in 1'000.
      if (c == '\'' && (i == 0 || !IsWordCharacter(text[i - 1]))) state = kChar;
      if (state == kLineComment || state == kBlockComment) out[i] = ' ';
      if (state == kBlockComment) out[++i] = ' ';
      continue;
    }
    out[i] = ' ';
    if (state == kBlockComment && c == '*' && next == '/') {
      out[++i] = ' ';
      state = kCode;
    } else if ((state == kString || state == kChar) && c == '\\') {
      if (next != '\n' && i + 1 < out.size()) out[++i] = ' ';
    } else if ((state == kString && c == '"') ||
               (state == kChar && c == '\'')) {
      out[i] = c;
      state = kCode;
    }
  }
  return out;
}

std::vector<std::string> Check(const std::vector<SourceFile>& files) {
  std::vector<std::string> violations;
  for (const SourceFile& file : files) {
    const std::string room = RoomOf(file.path);
    const bool nested =
        std::count(file.path.begin(), file.path.end(), '/') != 2;
    if (!Doors().contains(room) || (room != "main" && nested)) {
      violations.push_back(file.path + ":1: is in no room of the layout");
      continue;
    }
    std::istringstream lines(BlankCommentsAndLiterals(file.text));
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const std::string wrong = Judge(room, line);
      if (!wrong.empty()) {
        violations.push_back(file.path + ":" + std::to_string(number) + ": " +
                             wrong);
      }
    }
  }
  return violations;
}

}  // namespace rlrun::layering
