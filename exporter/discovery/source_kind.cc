#include "exporter/discovery/source_kind.h"

#include <array>
#include <charconv>
#include <chrono>
#include <vector>

#include "exporter/discovery/path_glob.h"

namespace rlrun {
namespace {

std::string_view LastSegment(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool AllDigits(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

int Number(std::string_view digits) {
  int value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

}  // namespace

std::string_view SourceKindName(SourceKind kind) {
  constexpr std::array<std::string_view, kSourceKinds> kNames = {
      "log", "launch", "jsonl", "wandb", "wandb", "tensorboard", "record"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool IsLaunchName(std::string_view path) {
  return LastSegment(path).starts_with("launch_");
}

bool IsOutName(std::string_view path) {
  return LastSegment(path).ends_with(".out");
}

bool IsWandbCopy(std::string_view path) {
  if (!path.ends_with("/files/output.log")) return false;
  const std::vector<std::string> parts = SplitPath(path);
  if (parts.size() < 4) return false;
  const std::string& root = parts[parts.size() - 4];
  return root == "wandb" || root == ".wandb";
}

bool IsWandbFile(std::string_view path) {
  const std::string_view name = LastSegment(path);
  return name.ends_with(".wandb") && !name.starts_with('.');
}

bool IsEventFile(std::string_view path) {
  constexpr std::string_view kMark = "tfevents.";
  const std::string_view name = LastSegment(path);
  const std::size_t at = name.find(kMark);
  if (at == std::string_view::npos || name.ends_with(".profile-empty") ||
      name.ends_with(".sagemaker-uploaded")) {
    return false;
  }
  const std::string_view time = name.substr(at + kMark.size());
  return !time.empty() && time.front() >= '0' && time.front() <= '9';
}

std::string_view WandbRunDirectory(std::string_view path) {
  if (IsWandbFile(path)) return path.substr(0, path.rfind('/'));
  constexpr std::string_view kCopy = "/files/output.log";
  if (IsWandbCopy(path)) return path.substr(0, path.size() - kCopy.size());
  return {};
}

std::optional<StampedName> ParseStampedName(std::string_view name) {
  constexpr std::size_t kStamp = sizeof("20260526-232411") - 1;
  if (name.size() < kStamp) return std::nullopt;
  const std::string_view stamp = name.substr(name.size() - kStamp);
  std::string_view stem = name.substr(0, name.size() - kStamp);
  if (stamp[8] != '-' || !AllDigits(stamp.substr(0, 8)) ||
      !AllDigits(stamp.substr(9))) {
    return std::nullopt;
  }
  if (!stem.empty()) {
    if (!stem.ends_with('-') && !stem.ends_with('_')) return std::nullopt;
    stem.remove_suffix(1);
  }
  const std::chrono::year_month_day day{
      std::chrono::year(Number(stamp.substr(0, 4))),
      std::chrono::month(static_cast<unsigned>(Number(stamp.substr(4, 2)))),
      std::chrono::day(static_cast<unsigned>(Number(stamp.substr(6, 2))))};
  const int hour = Number(stamp.substr(9, 2));
  const int minute = Number(stamp.substr(11, 2));
  const int second = Number(stamp.substr(13, 2));
  if (!day.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const auto days = std::chrono::sys_days(day).time_since_epoch().count();
  return StampedName{std::string(stem), static_cast<double>(days) * 86400 +
                                            hour * 3600 + minute * 60 + second};
}

}  // namespace rlrun
