#include "parsers/formats/error_line.h"

#include <algorithm>
#include <array>
#include <optional>

#include "parsers/formats/leveled_text.h"

namespace rlrun {
namespace {

using Kind = LogErrorKind;
using Role = ErrorLine::Role;
constexpr auto kNowhere = std::string_view::npos;
constexpr std::size_t kSearched = 512;  // bytes of a message

struct Phrase {
  std::string_view text;
  Kind kind = Kind::kTraceback;
  Role role = Role::kError;
  bool is_normal_at_end = false;
};

// Messages that begin so.
constexpr std::array kFronts = {
    Phrase{"Traceback (most recent call last):", Kind::kTraceback},
    Phrase{"Error executing job with overrides:", Kind::kTrainerCrash},
    Phrase{"Set the environment variable HYDRA_FULL_ERROR=1",
           Kind::kTrainerCrash, Role::kJobEnd},
    Phrase{"A worker died or was killed while executing a task",
           Kind::kActorDied, Role::kError, true},
    Phrase{"Raylet is terminated. Termination is unexpected", Kind::kActorDied,
           Role::kError, true},
    Phrase{"The actor died unexpectedly", Kind::kActorDied},
    Phrase{"Worker crashed", Kind::kActorDied, Role::kError, true},
    Phrase{"Task was killed due to the node running low on memory",
           Kind::kHostOom},
    Phrase{"CUDA out of memory", Kind::kCudaOom},
    Phrase{"EngineCore failed to start", Kind::kEngine},
    Phrase{"EngineCore encountered a fatal error", Kind::kEngine},
    Phrase{"Engine core initialization failed", Kind::kEngine},
    Phrase{"Scheduler hit an exception", Kind::kEngine},
    Phrase{"Failed to decode tool call:", Kind::kToolParser},
    Phrase{"[Proxy] vLLM tool parser failed", Kind::kToolParser},
    Phrase{"response_mask must contain at least one valid token",
           Kind::kToolParser},
    Phrase{"[Proxy] server_manager.generate failed", Kind::kEngine},
    Phrase{"Pod not ready after", Kind::kSandbox},
    Phrase{"Failed to create pod", Kind::kSandbox},
    Phrase{"Failed to pull image:", Kind::kSandbox},
    Phrase{"Transient apiserver 5xx while polling pod", Kind::kSandbox},
    Phrase{"exec command exceeded ", Kind::kSandbox},
    Phrase{"Dockerfile RUN command failed", Kind::kSandbox},
    Phrase{"Retrying ", Kind::kRetry},
    Phrase{"Health check failed", Kind::kEngine, Role::kHealthTimeout},
    Phrase{"[ASYNC MAIN] Component failed with error:", Kind::kTrainerCrash},
    Phrase{"[ASYNC MAIN] Training failed:", Kind::kTrainerCrash},
    Phrase{"[FATAL] only ", Kind::kTrainerCrash},
    Phrase{"fully-async task crashed:", Kind::kEngine},
    Phrase{"fully-async loop iteration error:", Kind::kEngine},
};

// In the text of an exception or in a message of a high level.
constexpr std::array kInside = {
    Phrase{"CUDA out of memory", Kind::kCudaOom},
    Phrase{"No space left on device", Kind::kDiskFull},
    Phrase{"Disk quota exceeded", Kind::kDiskFull},
    Phrase{"] . unexpected pos ", Kind::kDiskFull},  // torch's zip writer
    Phrase{"PytorchStreamWriter failed writing", Kind::kDiskFull},
    Phrase{"basic_ios::clear: iostream error", Kind::kDiskFull},
    Phrase{"killed due to memory pressure", Kind::kHostOom},
    Phrase{"node running low on memory", Kind::kHostOom},
    Phrase{"Cannot allocate memory", Kind::kHostOom},
    Phrase{"actor died unexpectedly", Kind::kActorDied},
    Phrase{"ActorDiedError", Kind::kActorDied},
    Phrase{"EngineDeadError", Kind::kEngine},
    Phrase{"EngineCore encountered", Kind::kEngine},
    Phrase{"Engine core initialization failed", Kind::kEngine},
    Phrase{"Dumping input data for V1 LLM engine", Kind::kEngine},
    Phrase{"collective operation timeout", Kind::kNccl},
    Phrase{"NCCL error", Kind::kNccl},
    Phrase{"ncclSystemError", Kind::kNccl},
    Phrase{"ncclUnhandledCudaError", Kind::kNccl},
    Phrase{"ncclInternalError", Kind::kNccl},
    Phrase{"ncclRemoteError", Kind::kNccl},
    Phrase{"Error code: 401", Kind::kHttpAuth},
    Phrase{"401 Client Error", Kind::kHttpAuth},
    Phrase{"403 Client Error", Kind::kHttpAuth},
    Phrase{"Client error '401", Kind::kHttpAuth},
    Phrase{"Client error '403", Kind::kHttpAuth},
    Phrase{"Error code: 429", Kind::kHttpRate},
    Phrase{"429 Client Error", Kind::kHttpRate},
    Phrase{"Client error '429", Kind::kHttpRate},
    Phrase{"429 Too Many Requests", Kind::kHttpRate},
    Phrase{"Failed to decode tool call:", Kind::kToolParser},
    Phrase{"did not terminate within 60 seconds", Kind::kSandbox},
    Phrase{"Pod not ready after", Kind::kSandbox},
    Phrase{"grad_norm is not finite", Kind::kNonfiniteUpdate},
    Phrase{"Retrying", Kind::kRetry},
    Phrase{"retrying in ", Kind::kRetry},
};

// Exceptions by the last part of their name.
constexpr std::array kExceptions = {
    Phrase{"ActorDiedError", Kind::kActorDied},
    Phrase{"RayActorError", Kind::kActorDied},
    Phrase{"ActorUnavailableError", Kind::kActorDied},
    Phrase{"WorkerCrashedError", Kind::kActorDied},
    Phrase{"NodeDiedError", Kind::kActorDied},
    Phrase{"OwnerDiedError", Kind::kActorDied},
    Phrase{"EngineDeadError", Kind::kEngine},
    Phrase{"AsyncEngineDeadError", Kind::kEngine},
    Phrase{"DistBackendError", Kind::kNccl},
    Phrase{"OutOfDiskError", Kind::kDiskFull},
    Phrase{"MemoryError", Kind::kHostOom},
    Phrase{"AuthenticationError", Kind::kHttpAuth},
    Phrase{"PermissionDeniedError", Kind::kHttpAuth},
    Phrase{"GatedRepoError", Kind::kHttpAuth},
    Phrase{"RateLimitError", Kind::kHttpRate},
};

// Printed like errors, and none.
constexpr std::array<std::string_view, 3> kBenign = {
    "TorchMemorySaver", "destroy_process_group", "% full, available space"};

ErrorLine Make(const Phrase& phrase, std::string_view text) {
  return {phrase.role, phrase.kind, phrase.is_normal_at_end, text};
}

// `text` without what a printed object would bring in.
std::string_view OwnText(std::string_view text) {
  text = text.substr(0, kSearched);
  for (const std::string_view mark : {"results=", "TrialResult(", "\\n"}) {
    text = text.substr(0, text.find(mark));
  }
  return text;
}

const Phrase* FindInside(std::string_view message) {
  const std::string_view text = OwnText(message);
  for (const std::string_view benign : kBenign) {
    if (text.find(benign) != kNowhere) return nullptr;
  }
  for (const Phrase& phrase : kInside) {
    if (text.find(phrase.text) != kNowhere) return &phrase;
  }
  return nullptr;
}

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// `pkg.NameError` at the front of `text`, which `:`, `(` or its end follows.
std::string_view ExceptionName(std::string_view text) {
  constexpr std::size_t kMaxName = 120;
  std::size_t n = 0;
  while (n < text.size() && n < kMaxName && IsNameChar(text[n])) ++n;
  if (n < 5 || (n < text.size() && text[n] != ':' && text[n] != '(')) return {};
  const std::string_view name = text.substr(0, n);
  return name.ends_with("Error") || name.ends_with("Exception") ||
                 name.ends_with("Interrupt") || name.ends_with("Exit")
             ? name
             : std::string_view();
}

ErrorLine ParseException(std::string_view message, std::string_view name) {
  const std::string_view last = name.substr(name.rfind('.') + 1);
  if (last == "KeyboardInterrupt")
    return {Role::kInterrupt, {}, false, message};
  if (last == "OutOfMemoryError") {
    const bool host = name.starts_with("ray.");
    return {Role::kError, host ? Kind::kHostOom : Kind::kCudaOom, false,
            message};
  }
  for (const Phrase& phrase : kExceptions) {
    if (last == phrase.text) return Make(phrase, message);
  }
  const Phrase* inside = FindInside(message.substr(name.size()));
  if (inside != nullptr && inside->kind != Kind::kRetry) {
    return Make(*inside, message);
  }
  return {last == "RayTaskError" ? Role::kWrapped : Role::kException,
          Kind::kTraceback, false, message};
}

// Said to a process that has no actor prefix: to the launcher's own.
bool IsTermination(std::string_view message) {
  return message.starts_with("*** SIGTERM received") ||
         message.starts_with("Received SIGTERM") ||
         (message.starts_with("Received ") &&
          message.substr(0, 40).find("death signal, shutting down") !=
              kNowhere) ||
         (message.starts_with("slurmstepd: error: ***") &&
          message.find("CANCELLED AT") != kNowhere);
}

// `request failed, retrying (attempt 3)`, `..., retrying (attempt 3/60)`.
bool EndsInAttempt(std::string_view text) {
  constexpr std::string_view kAttempt = "etrying (attempt ";
  const std::size_t at = text.rfind(kAttempt);
  if (at == kNowhere || at == 0 || text.back() != ')') return false;
  if (text[at - 1] != 'r' && text[at - 1] != 'R') return false;
  const std::string_view number =
      text.substr(at + kAttempt.size(), text.size() - at - kAttempt.size() - 1);
  return !number.empty() && number.find_first_not_of("0123456789/") == kNowhere;
}

bool EndsInRetry(std::string_view text) {
  if (text.empty()) return false;
  if (text.back() == ')') return EndsInAttempt(text);
  if (text.back() != '.' && text.back() != 'g') return false;
  return text.ends_with("Retrying...") || text.ends_with("Retrying.") ||
         text.ends_with("Retrying");
}

// What stands behind the bar that `payload` begins with, if anything.
std::string_view BehindBar(std::string_view payload) {
  if (payload.ends_with("s/it]") || payload.ends_with("it/s]")) return {};
  const std::size_t end = payload.rfind("/it]");
  const std::size_t other = payload.rfind("it/s]");
  if (end != kNowhere) return payload.substr(end + 4);
  return other == kNowhere ? std::string_view() : payload.substr(other + 5);
}

bool MayBegin(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '[' ||
         c == '(' || c == '*' || (c >= '0' && c <= '9');
}

}  // namespace

ErrorLine ParseErrorLine(std::string_view payload, bool has_actor) {
  if (payload.empty() || !MayBegin(payload.front())) return {};
  if (payload.starts_with("Epoch ") || payload.starts_with("Training Prog")) {
    payload = BehindBar(payload);
    if (payload.empty()) return {};
  }
  const LeveledText leveled = ParseLeveledText(payload);
  const std::string_view message = leveled.message;
  if (message.empty() || leveled.severity == Severity::kInfo) return {};
  // Whole results of trials are printed behind it.
  if (message.starts_with("[task=")) return {};
  for (const Phrase& phrase : kFronts) {
    if (message.front() == phrase.text.front() &&
        message.starts_with(phrase.text)) {
      return Make(phrase, payload);
    }
  }
  if (!has_actor && IsTermination(message)) {
    return {Role::kInterrupt, {}, false, payload};
  }
  const std::string_view name = ExceptionName(message);
  if (!name.empty()) {
    ErrorLine line = ParseException(message, name);
    line.text = payload;
    return line;
  }
  if (leveled.severity >= Severity::kWarning) {
    const Phrase* inside = FindInside(message);
    if (inside != nullptr) return Make(*inside, payload);
  } else if (leveled.is_raylet &&
             message.find("so the task will be retried") != kNowhere) {
    return {Role::kError, Kind::kRetry, false, payload};
  }
  if (EndsInRetry(message)) {
    return {Role::kError, Kind::kRetry, false, payload};
  }
  return {};
}

}  // namespace rlrun
