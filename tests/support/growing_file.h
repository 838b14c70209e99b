// Shows a file to a reader of records as it grows, as a tail does: what was not
// taken comes again, with what was appended. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace rlrun {

template <typename Reader>
class GrowingFile {
 public:
  explicit GrowingFile(Reader* reader) : reader_(*reader) {}

  // `out`: where Reader::Feed puts what it reads.
  template <typename Out>
  void Append(std::string_view bytes, const Out& out) {
    rest_ += bytes;
    Show(out);
  }
  // The bytes that were not taken are others by now.
  template <typename Out>
  void Rewrite(std::string rest, const Out& out) {
    rest_ = std::move(rest);
    Show(out);
  }
  // What is damaged stays so.
  template <typename Out>
  void Settle(const Out& out) {
    while (reader_.damaged()) {
      reader_.PassDamage();
      Show(out);
    }
  }
  const std::string& rest() const { return rest_; }

 private:
  template <typename Out>
  void Show(const Out& out) {
    rest_.erase(0, reader_.Feed(rest_, out));
  }

  Reader& reader_;
  std::string rest_;
};

// All of `text` in pieces of `size()` bytes, and then nothing more.
template <typename Reader, typename Out>
void ReadInPieces(Reader* reader, std::string_view text,
                  const std::function<std::size_t()>& size, const Out& out) {
  GrowingFile<Reader> file(reader);
  while (!text.empty()) {
    const std::size_t n = std::min(size(), text.size());
    file.Append(text.substr(0, n), out);
    text.remove_prefix(n);
  }
  file.Settle(out);
}

// A file of zeros that is filled in, `size()` bytes at a time, until it is
// `whole` and `zeros` more. Returns whether it ever looked damaged.
template <typename Reader, typename Out>
bool ReadFilledIn(Reader* reader, const std::string& whole, std::size_t zeros,
                  const std::function<std::size_t()>& size, const Out& out) {
  GrowingFile<Reader> file(reader);
  bool damaged = false;
  std::size_t taken = 0;
  for (std::size_t written = 0; written < whole.size();) {
    written = std::min(written + size(), whole.size());
    std::string now = whole.substr(0, written);
    now.resize(whole.size() + zeros);
    file.Rewrite(now.substr(taken), out);
    taken = now.size() - file.rest().size();
    damaged = damaged || reader->damaged();
  }
  return damaged;
}

}  // namespace rlrun
