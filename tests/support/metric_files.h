// Writes what W&B and TensorBoard leave on a disk, byte for byte, for tests:
// protobuf messages, the blocks of `run-<id>.wandb`, the records of event
// files. Shares nothing with the readers that it is to test.
// Plain objects; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rlrun {

// One protobuf message, field by field.
class ProtoMessage {
 public:
  ProtoMessage& Int(std::uint32_t field, std::int64_t value);
  ProtoMessage& Bytes(std::uint32_t field, std::string_view bytes);
  ProtoMessage& Float(std::uint32_t field, float value);
  ProtoMessage& Double(std::uint32_t field, double value);
  const std::string& text() const { return text_; }

 private:
  void Varint(std::uint64_t value);
  std::string text_;
};

// Values as W&B writes them: key and JSON.
using WandbItems = std::vector<std::pair<std::string, std::string>>;

// Payloads of records of a `.wandb` file.
struct WandbRun {
  std::string id = "abc123", project, display_name;
  WandbItems config;
  double start_time = 0;  // Unix seconds; 0: none
};
std::string WandbRunRecord(const WandbRun& run);
// `step` below 0: none is said. `nested`: keys as wandb-core writes them.
std::string WandbHistory(std::int64_t step, const WandbItems& items,
                         bool nested = true);
std::string WandbSummary(const WandbItems& items);
std::string WandbOutput(std::string_view line);
std::string WandbExit(int code);

// The bytes of a `.wandb` file. `base`: offset at which blocks begin, 7 as old
// writers had it.
class WandbFileWriter {
 public:
  explicit WandbFileWriter(std::size_t base = 0);
  void Add(std::string_view record);
  const std::string& text() const { return text_; }

 private:
  void Chunk(unsigned char type, std::string_view payload);
  std::size_t LeftInBlock() const;
  std::size_t base_;
  std::string text_;
};

// One value of a summary: `simple_value`, or a tensor of float32, double or
// int64, with the plugin's name where `with_metadata`.
std::string SimpleValue(std::string_view tag, float value);
enum class TensorForm { kContent, kFloats, kDouble, kInt64 };
std::string TensorValue(std::string_view tag, double value, TensorForm form,
                        bool with_metadata);
std::string Event(double wall_time, std::int64_t step,
                  const std::vector<std::string>& values);
std::string FileVersionEvent(double wall_time);
// One record of an event file.
std::string EventRecord(std::string_view event);

// Bit by bit.
std::uint32_t SlowCrc(std::uint32_t reflected_polynomial,
                      std::string_view bytes);

}  // namespace rlrun
