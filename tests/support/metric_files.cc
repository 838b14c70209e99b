#include "tests/support/metric_files.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

namespace rlrun {
namespace {

template <typename T>
std::string LittleEndian(T value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes += static_cast<char>(value >> (8 * i) & 0xFFu);
  }
  return bytes;
}

std::string Masked(std::string_view bytes) {
  const std::uint32_t crc = SlowCrc(0x82F63B78u, bytes);
  return LittleEndian((crc >> 15 | crc << 17) + 0xA282EAD8u);
}

// A repeated item with key and JSON.
std::string Item(const std::string& key, const std::string& json, bool nested) {
  ProtoMessage item;
  item.Bytes(nested ? 2 : 1, key).Bytes(16, json);
  return item.text();
}

}  // namespace

std::uint32_t SlowCrc(std::uint32_t reflected_polynomial,
                      std::string_view bytes) {
  std::uint32_t crc = ~0u;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1u) != 0 ? reflected_polynomial : 0u);
    }
  }
  return ~crc;
}

void ProtoMessage::Varint(std::uint64_t value) {
  for (; value >= 0x80u; value >>= 7) {
    text_ += static_cast<char>((value & 0x7Fu) | 0x80u);
  }
  text_ += static_cast<char>(value);
}

ProtoMessage& ProtoMessage::Int(std::uint32_t field, std::int64_t value) {
  Varint(field << 3);
  Varint(static_cast<std::uint64_t>(value));
  return *this;
}

ProtoMessage& ProtoMessage::Bytes(std::uint32_t field, std::string_view bytes) {
  Varint(field << 3 | 2u);
  Varint(bytes.size());
  text_.append(bytes);
  return *this;
}

ProtoMessage& ProtoMessage::Float(std::uint32_t field, float value) {
  Varint(field << 3 | 5u);
  text_ += LittleEndian(std::bit_cast<std::uint32_t>(value));
  return *this;
}

ProtoMessage& ProtoMessage::Double(std::uint32_t field, double value) {
  Varint(field << 3 | 1u);
  text_ += LittleEndian(std::bit_cast<std::uint64_t>(value));
  return *this;
}

std::string WandbRunRecord(const WandbRun& run) {
  ProtoMessage config, message, record;
  for (const auto& [key, json] : run.config) {
    config.Bytes(1, Item(key, json, false));
  }
  message.Bytes(1, run.id);
  if (!run.project.empty()) message.Bytes(3, run.project);
  if (!run.config.empty()) message.Bytes(4, config.text());
  if (!run.display_name.empty()) message.Bytes(8, run.display_name);
  if (run.start_time > 0) {
    ProtoMessage time;
    const double whole = std::floor(run.start_time);
    time.Int(1, static_cast<std::int64_t>(whole));
    time.Int(2, static_cast<std::int64_t>((run.start_time - whole) * 1e9));
    message.Bytes(17, time.text());
  }
  return record.Int(1, 2).Bytes(17, message.text()).text();
}

std::string WandbHistory(std::int64_t step, const WandbItems& items,
                         bool nested) {
  ProtoMessage history, number, record;
  for (const auto& [key, json] : items) {
    history.Bytes(1, Item(key, json, nested));
  }
  // A step of 0 is a message without fields.
  if (step > 0) number.Int(1, step);
  if (step >= 0) history.Bytes(2, number.text());
  return record.Int(1, 7).Bytes(2, history.text()).text();
}

std::string WandbSummary(const WandbItems& items) {
  ProtoMessage summary, record;
  for (const auto& [key, json] : items) {
    summary.Bytes(1, Item(key, json, true));
  }
  return record.Bytes(3, summary.text()).text();
}

std::string WandbOutput(std::string_view line) {
  ProtoMessage output, record;
  output.Int(1, 1).Bytes(3, line);
  return record.Bytes(13, output.text()).text();
}

std::string WandbExit(int code) {
  ProtoMessage exit, record;
  if (code != 0) exit.Int(1, code);
  exit.Int(2, 100);
  return record.Bytes(18, exit.text()).text();
}

WandbFileWriter::WandbFileWriter(std::size_t base) : base_(base) {
  text_ = std::string(":W&B\xE1\xBE\0", 7);
}

std::size_t WandbFileWriter::LeftInBlock() const {
  constexpr std::size_t kBlock = 32768;
  return kBlock - (text_.size() - base_) % kBlock;
}

void WandbFileWriter::Add(std::string_view record) {
  constexpr std::size_t kHeader = 7;
  bool first = true;
  do {
    if (LeftInBlock() < kHeader) text_.append(LeftInBlock(), '\0');
    const std::size_t size = std::min(record.size(), LeftInBlock() - kHeader);
    const bool last = size == record.size();
    Chunk(first && last ? 1 : first ? 2 : last ? 4 : 3, record.substr(0, size));
    record.remove_prefix(size);
    if (last) return;
    first = false;
  } while (true);
}

void WandbFileWriter::Chunk(unsigned char type, std::string_view payload) {
  std::string covered(1, static_cast<char>(type));
  covered.append(payload);
  text_ += LittleEndian(SlowCrc(0xEDB88320u, covered));
  text_ += LittleEndian(static_cast<std::uint16_t>(payload.size()));
  text_ += covered;
}

std::string SimpleValue(std::string_view tag, float value) {
  return ProtoMessage().Bytes(1, tag).Float(2, value).text();
}

std::string TensorValue(std::string_view tag, double value, TensorForm form,
                        bool with_metadata) {
  ProtoMessage tensor, packed;
  const auto single = static_cast<float>(value);
  switch (form) {
    case TensorForm::kContent:
      tensor.Int(1, 1).Bytes(2, "").Bytes(
          4, LittleEndian(std::bit_cast<std::uint32_t>(single)));
      break;
    case TensorForm::kFloats:
      tensor.Int(1, 1).Bytes(2, "").Bytes(
          5, LittleEndian(std::bit_cast<std::uint32_t>(single)));
      break;
    case TensorForm::kDouble:
      tensor.Int(1, 2).Bytes(6,
                             LittleEndian(std::bit_cast<std::uint64_t>(value)));
      break;
    case TensorForm::kInt64:
      tensor.Int(1, 9).Int(10, static_cast<std::int64_t>(value));
      break;
  }
  ProtoMessage out;
  out.Bytes(1, tag).Bytes(8, tensor.text());
  if (with_metadata) {
    out.Bytes(9, ProtoMessage()
                     .Bytes(1, ProtoMessage().Bytes(1, "scalars").text())
                     .text());
  }
  return out.text();
}

std::string Event(double wall_time, std::int64_t step,
                  const std::vector<std::string>& values) {
  ProtoMessage event, summary;
  for (const std::string& value : values) summary.Bytes(1, value);
  event.Double(1, wall_time);
  if (step != 0) event.Int(2, step);
  return event.Bytes(5, summary.text()).text();
}

std::string FileVersionEvent(double wall_time) {
  return ProtoMessage().Double(1, wall_time).Bytes(3, "brain.Event:2").text();
}

std::string EventRecord(std::string_view event) {
  const std::string length =
      LittleEndian(static_cast<std::uint64_t>(event.size()));
  return length + Masked(length) + std::string(event) + Masked(event);
}

}  // namespace rlrun
