#include "exporter/exposition/gzip.h"

#include <libdeflate.h>

#include <memory>

namespace rlrun {
namespace {

// Expositions repeat themselves so much that a higher level costs several times
// the time for a few per cent of the size.
constexpr int kLevel = 1;

struct FreeCompressor {
  void operator()(libdeflate_compressor* c) const {
    libdeflate_free_compressor(c);
  }
};

}  // namespace

std::string Gzip(std::string_view text) {
  const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(
      libdeflate_alloc_compressor(kLevel));
  if (compressor == nullptr) return {};
  std::string out;
  out.resize(libdeflate_gzip_compress_bound(compressor.get(), text.size()));
  out.resize(libdeflate_gzip_compress(compressor.get(), text.data(),
                                      text.size(), out.data(), out.size()));
  return out;
}

}  // namespace rlrun
