#include "parsers/formats/engine_readings.h"

#include <algorithm>
#include <utility>

namespace rlrun {
namespace {

// SGLang has two kinds of lines for one replica.
constexpr std::size_t kMaxSlots = 2 * kMaxEngines;
constexpr std::size_t kMaxLine = 1024;  // bytes of a line that are read

// Cheap, and different for nearly all replicas; the rest is compared.
std::uint64_t KeyOf(const EngineLine& line, const ActorPrefix& prefix) {
  std::uint64_t key = static_cast<std::uint64_t>(line.kind);
  if (!prefix.ip.empty()) {
    key = key << 8 | static_cast<unsigned char>(prefix.ip.back());
  }
  key = key << 8 | static_cast<unsigned char>(line.number.back());
  for (const char c : prefix.pid)
    key = key * 10 + static_cast<unsigned char>(c);
  return key;
}

}  // namespace

void EngineReadings::Note(const EngineLine& line, std::string_view payload,
                          std::uint64_t offset, const ActorPrefix& prefix,
                          const std::optional<Stamp>& stamp) {
  const std::uint64_t key = KeyOf(line, prefix);
  std::size_t i = 0;
  for (; i < keys_.size(); ++i) {
    if (keys_[i] != key) continue;
    const Slot& slot = slots_[i];
    if (slot.kind == line.kind && slot.pid == prefix.pid &&
        slot.ip == prefix.ip && slot.number == line.number) {
      break;
    }
  }
  if (i == keys_.size()) {
    if (i == kMaxSlots) {
      ++dropped_;
      return;
    }
    keys_.push_back(key);
    Slot& slot = slots_.emplace_back();
    slot.pid.assign(prefix.pid);
    slot.ip.assign(prefix.ip);
    slot.number.assign(line.number);
    slot.kind = line.kind;
  }
  Slot& slot = slots_[i];
  slot.view = payload.substr(0, kMaxLine);
  slot.offset = offset;
  slot.stamp = stamp;
}

void EngineReadings::EndBatch() {
  for (Slot& slot : slots_) {
    if (slot.view.empty()) continue;
    slot.text.assign(slot.view);
    slot.view = {};
  }
}

void EngineReadings::Take(LogEvents* events) {
  EndBatch();
  events->engines_dropped += std::exchange(dropped_, 0);
  // In the order of the lines: of two kinds the newer one has the last word.
  std::sort(slots_.begin(), slots_.end(),
            [](const Slot& a, const Slot& b) { return a.offset < b.offset; });
  for (const Slot& slot : slots_) {
    const std::string name = EngineName(slot.ip, slot.pid, slot.number);
    auto& engines = events->engines;
    auto reading =
        std::find_if(engines.begin(), engines.end(),
                     [&](const EngineReading& r) { return r.engine == name; });
    if (reading == engines.end()) {
      if (engines.size() == kMaxEngines) {
        ++events->engines_dropped;
        continue;
      }
      reading = engines.emplace(engines.end());
      reading->engine = name;
    }
    reading->at = {slot.offset, slot.stamp};
    ParseEngineLine(slot.kind, slot.text, &*reading);
  }
  keys_.clear();
  slots_.clear();
}

}  // namespace rlrun
