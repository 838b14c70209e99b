#include "exporter/app/log_tail.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "exporter/exposition/text.h"
#include "parsers/lines/payload.h"
#include "parsers/values/redact.h"

namespace rlrun {
namespace {

constexpr std::size_t kTailBytes = 1u << 20;
constexpr std::size_t kLineBytes = 200;

// What a terminal shows of a line that carriage returns draw over.
std::string_view NewestDrawing(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t at = line.rfind('\r');
  return at == std::string_view::npos ? line : line.substr(at + 1);
}

std::string Shown(std::string_view line) {
  std::string scratch;
  const std::string_view plain = StripEscapes(NewestDrawing(line), &scratch);
  return RepairUtf8(RedactFront(plain, kLineBytes));
}

}  // namespace

std::vector<std::string> LastLines(std::string_view text, std::size_t lines,
                                   bool is_cut) {
  if (is_cut) {
    const std::size_t end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::vector<std::string> out;
  while (!text.empty() && out.size() < lines) {
    const std::size_t end = text.rfind('\n');
    const bool is_first = end == std::string_view::npos;
    out.push_back(Shown(is_first ? text : text.substr(end + 1)));
    text = is_first ? std::string_view() : text.substr(0, end);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<std::string> ReadLogTail(FileSource& source,
                                     const std::string& path,
                                     std::size_t lines) {
  std::unique_ptr<OpenFile> file;
  FileStat stat;
  if (!source.Open(path, &file).ok() || !file->Stat(&stat).ok()) {
    return {"(the log cannot be read)"};
  }
  const auto size =
      static_cast<std::size_t>(std::min<std::uint64_t>(stat.size, kTailBytes));
  const std::uint64_t begin = stat.size - size;
  std::string text(size, '\0');
  std::size_t done = 0, got = 1;
  while (done < size && got != 0 &&
         file->Read(begin + done, text.data() + done, size - done, &got).ok()) {
    done += got;
  }
  text.resize(done);
  return LastLines(text, lines, begin != 0);
}

}  // namespace rlrun
