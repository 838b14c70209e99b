// Replays the files of each folder given through a fuzz target. Exit 1: a
// folder cannot be read, or holds no file.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size);

namespace {

// Files replayed; 0: none, or the folder cannot be read.
int Replay(const char* folder) {
  std::error_code error;
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    if (!in.is_open() || in.bad()) return 0;
    // Said first, so that a crash names its file.
    std::printf("%s\n", entry.path().c_str());
    std::fflush(stdout);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                           bytes.size());
    ++count;
  }
  return error ? 0 : count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  for (int i = 1; i < argc; ++i) {
    if (Replay(argv[i]) == 0) {
      std::fprintf(stderr, "%s: no corpus\n", argv[i]);
      return 1;
    }
  }
  return 0;
}
