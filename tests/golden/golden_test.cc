// Runs every folder of tests/golden through the whole exporter, without threads
// and on a file system in memory, and compares the whole exposition with the
// folder's expected.prom.
//
//   <case>/ORIGIN         which trainer, real or made, what was trimmed
//   <case>/input/...      the files, below /runs
//   <case>/paths          optional: `NAME<tab>PATH`, where input/NAME lies;
//   PATH
//                         may hold \n, \t, \\ and \xHH
//   <case>/config.yaml    optional; default: the root /runs
//   <case>/expected.prom  text 0.0.4
//
// RLRUN_UPDATE_GOLDEN=1 writes expected.prom; read the difference before you
// commit it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "exporter/app/app.h"
#include "exporter/app/log.h"
#include "exporter/config/config.h"
#include "exporter/exposition/exposition.h"
#include "tests/support/in_memory_file_source.h"

namespace rlrun {
namespace {

namespace fs = std::filesystem;

// 2026-01-02T03:04:05Z: the mtime of every file; "now" is a minute later.
constexpr std::int64_t kMtime = 1767323045;

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> Cases() {
  std::vector<fs::path> cases;
  for (const auto& entry : fs::directory_iterator("tests/golden")) {
    if (entry.is_directory()) cases.push_back(entry.path());
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

int HexDigit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                : -1;
}

std::string Unescape(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    if (c == 'n') {
      out += '\n';
    } else if (c == 't') {
      out += '\t';
    } else if (c == 'x' && i + 2 < text.size()) {
      out +=
          static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      out += c;
    }
  }
  return out;
}

// Every file has the same mtime, whatever the order.
void Put(const std::string& path, const std::string& text,
         InMemoryFileSource* files) {
  files->Write(path, text);
  files->SetMtime(path, kMtime * 1000000000);
}

void LoadInput(const fs::path& folder, InMemoryFileSource* files) {
  files->Mkdir("/runs");
  if (!fs::exists(folder / "paths")) {
    std::vector<fs::path> paths;
    for (const auto& entry :
         fs::recursive_directory_iterator(folder / "input")) {
      if (entry.is_regular_file()) paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
      const fs::path relative = fs::relative(path, folder / "input");
      Put("/runs/" + relative.string(), ReadAll(path), files);
    }
  } else {
    std::istringstream lines(ReadAll(folder / "paths"));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t tab = line.find('\t');
      ASSERT_NE(tab, std::string::npos) << folder << "/paths: " << line;
      Put("/runs/" + Unescape(line.substr(tab + 1)),
          ReadAll(folder / "input" / line.substr(0, tab)), files);
    }
  }
}

std::string Expose(const fs::path& folder) {
  InMemoryFileSource files;
  LoadInput(folder, &files);
  Config config;
  if (fs::exists(folder / "config.yaml")) {
    const auto errors =
        ParseConfig(ReadAll(folder / "config.yaml"), "config.yaml", &config);
    EXPECT_TRUE(errors.empty()) << errors.front();
  } else {
    RootOptions root;
    root.path = "/runs";
    config.roots.push_back(root);
  }
  AppOptions options;
  options.self = {"test", "test", /*deterministic=*/true};
  App app(config, options, &files);
  app.ReadInline({1000, static_cast<double>(kMtime + 60)});
  std::string text;
  AppendBlocks(&text, app.snapshot()->blocks, TextFormat::kText004);
  app.AppendSelf(&text, TextFormat::kText004);
  return text;
}

TEST(GoldenTest, EveryCaseGivesItsWholeExposition) {
  const bool update = std::getenv("RLRUN_UPDATE_GOLDEN") != nullptr;
  ASSERT_TRUE(SetupLog("error", "logfmt"));
  ASSERT_FALSE(Cases().empty());
  for (const fs::path& folder : Cases()) {
    SCOPED_TRACE(folder.string());
    EXPECT_TRUE(fs::exists(folder / "ORIGIN"));
    ASSERT_TRUE(fs::exists(folder / "input"));
    const std::string text = Expose(folder);
    if (update) {
      std::ofstream(folder / "expected.prom", std::ios::binary) << text;
    } else {
      EXPECT_EQ(text, ReadAll(folder / "expected.prom"));
    }
  }
}

}  // namespace
}  // namespace rlrun
