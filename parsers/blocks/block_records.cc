#include "parsers/blocks/block_records.h"

#include <algorithm>

#include "parsers/blocks/crc32.h"
#include "parsers/blocks/little_endian.h"

namespace rlrun {
namespace {

using namespace std::string_view_literals;
constexpr std::string_view kIdent = ":W&B\xE1\xBE\0"sv;

// What a chunk is of its record.
enum : unsigned char { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

bool IsZero(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

// With its header, as that says.
std::size_t ChunkSize(std::string_view header) {
  return BlockRecords::kChunkHeader +
         LoadLittleEndian<std::uint16_t>(header.substr(4));
}

}  // namespace

std::size_t BlockRecords::Step(std::string_view rest, const Sink& sink) {
  if (state_ == State::kHeader) return ReadHeader(rest);
  if (state_ == State::kForeign) return rest.size();
  std::size_t left = LeftInBlock(base_);
  Look look = LookAt(rest, left);
  if (base_ == 0 && look != Look::kChunk && look != Look::kWait) {
    const std::size_t other_left = LeftInBlock(kFileHeader);
    const Look other = LookAt(rest, other_left);
    if (other == Look::kWait) return 0;
    if (other == Look::kChunk) {
      base_ = kFileHeader;
      look = other;
      left = other_left;
    }
  }
  switch (look) {
    case Look::kWait:
      return 0;
    case Look::kPadding:
      return left;
    case Look::kChunk: {
      const std::size_t size = ChunkSize(rest);
      TakeChunk(rest.substr(0, size), sink);
      return size;
    }
    case Look::kZeros:
    case Look::kBad:
      break;
  }
  return PassBlock(rest, look, left);
}

// Over the rest of a block; 0: not yet.
std::size_t BlockRecords::PassBlock(std::string_view rest, Look look,
                                    std::size_t left) {
  const std::size_t bad = left < kChunkHeader ? left : ChunkSize(rest);
  const bool passes = Passes(rest, bad, look == Look::kBad);
  if (!passes || rest.size() <= left) return 0;
  Cut();
  resumes_ = true;
  return left;
}

// A header that is not all written yet ends in zeros.
std::size_t BlockRecords::ReadHeader(std::string_view rest) {
  const std::size_t known = std::min(rest.size(), kFileHeader);
  if (rest.substr(0, known) == kIdent.substr(0, known)) {
    if (known < kFileHeader) return 0;
    state_ = State::kChunks;
    complete_end_ = kFileHeader;
    return kFileHeader;
  }
  const std::size_t written = SizeWithoutZeros(rest);
  if (written < rest.size() && written < kFileHeader &&
      kIdent.starts_with(rest.substr(0, written))) {
    return 0;
  }
  state_ = State::kForeign;
  ++counts_.damaged;
  return rest.size();
}

std::size_t BlockRecords::LeftInBlock(std::uint64_t base) const {
  return kBlock - static_cast<std::size_t>((at_ - base) % kBlock);
}

// What stands at the front of `rest`, with `left` bytes to the end of the
// block.
BlockRecords::Look BlockRecords::LookAt(std::string_view rest,
                                        std::size_t left) {
  if (left < kChunkHeader) {
    if (!IsZero(rest.substr(0, left))) return Look::kBad;
    return rest.size() < left ? Look::kWait : Look::kPadding;
  }
  if (rest.size() < kChunkHeader) return Look::kWait;
  if (IsZero(rest.substr(0, kChunkHeader))) return Look::kZeros;
  const std::size_t size = LoadLittleEndian<std::uint16_t>(rest.substr(4));
  const auto type = static_cast<unsigned char>(rest[6]);
  if (type < kFull || type > kLast || size > left - kChunkHeader) {
    return Look::kBad;
  }
  if (rest.size() < kChunkHeader + size) return Look::kWait;
  // The checksum covers the type as well.
  const std::uint32_t crc = LoadLittleEndian<std::uint32_t>(rest);
  return Crc32(rest.substr(6, 1 + size)) == crc ? Look::kChunk : Look::kBad;
}

void BlockRecords::TakeChunk(std::string_view chunk, const Sink& sink) {
  const auto type = static_cast<unsigned char>(chunk[6]);
  const std::string_view payload = chunk.substr(kChunkHeader);
  const std::uint64_t end = at_ + chunk.size();
  if (type == kFull || type == kFirst) {
    Cut();
    resumes_ = false;
    Begin(type == kFirst ? payload : std::string_view());
  } else if (in_record_) {
    Continue(payload);
  } else if (!resumes_) {
    ++counts_.cut;
    resumes_ = true;  // the chunks behind it are of the same record
  }
  if (type == kFull) {
    End(payload, end, payload.size() > max_record_, sink);
  } else if (type == kLast && in_record_) {
    End(record_, end, record_too_long_, sink);
  }
}

void BlockRecords::End(std::string_view record, std::uint64_t end,
                       bool too_long, const Sink& sink) {
  in_record_ = false;
  if (too_long) {
    ++counts_.too_long;
  } else {
    Give(record, record_begin_, end, sink);
  }
  complete_end_ = end;
  record_.clear();
  if (record_.capacity() > 4 * kBlock) record_.shrink_to_fit();
}

void BlockRecords::Begin(std::string_view payload) {
  in_record_ = true;
  record_too_long_ = false;
  record_begin_ = at_;
  record_.clear();
  Continue(payload);
}

void BlockRecords::Continue(std::string_view payload) {
  record_too_long_ =
      record_too_long_ || record_.size() + payload.size() > max_record_;
  if (record_too_long_) {
    record_.clear();
  } else {
    record_.append(payload);
  }
}

// The record that was begun gets no end.
void BlockRecords::Cut() {
  if (!in_record_) return;
  in_record_ = false;
  ++counts_.cut;
  record_.clear();
}

}  // namespace rlrun
