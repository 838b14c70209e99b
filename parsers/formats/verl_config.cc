#include "parsers/formats/verl_config.h"

namespace rlrun {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
// Lines between two lines of a block: of its own actor (warnings of libraries),
// and of all others (every worker of a large run starts up at that time).
constexpr std::size_t kMaxOwnSkipped = 200;
constexpr std::size_t kMaxForeignSkipped = 20'000;
// Where a printed literal is broken into lines.
constexpr std::string_view kLineBacks = ",'\"}])";
constexpr std::string_view kStrongStart = "{'actor_rollout_ref'";

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

// `{'NAME':`
bool IsStart(std::string_view payload) {
  std::size_t i = 2;
  while (i < payload.size() && IsWordByte(payload[i])) ++i;
  return i > 2 && payload.substr(i).starts_with("':");
}

// What may begin a line inside a printed literal.
bool IsLiteralFront(std::string_view payload) {
  const char c = payload.front();
  if (std::string_view("'\"[{()}]-").find(c) != std::string_view::npos) {
    return true;
  }
  if (c >= '0' && c <= '9') return true;
  for (const std::string_view front :
       {"True", "False", "None", "nan", "inf", "b'", "b\""}) {
    if (payload.starts_with(front)) return true;
  }
  return false;
}

struct LineEnd {
  std::size_t depth;  // behind the line
  std::size_t size;   // bytes up to the bracket that closes all, else all
  bool in_quotes;
  bool closed;  // all brackets
};

LineEnd ScanLine(std::string_view text, std::size_t depth) {
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == '\\') ++i;
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '{' || c == '[' || c == '(') {
      ++depth;
    } else if (c == '}' || c == ']' || c == ')') {
      if (depth <= 1) return {0, i + 1, false, true};
      --depth;
    }
  }
  return {depth, text.size(), quote != '\0', false};
}

bool Has(PyValue dict, std::string_view key) {
  return dict.Find(key).kind() == PyValue::Kind::kDict;
}

bool IsConfig(PyValue root, bool is_whole) {
  if (Has(root, "actor_rollout_ref")) return true;
  const bool has_data = Has(root, "data");
  return is_whole ? has_data && Has(root, "trainer") : has_data;
}

}  // namespace

bool VerlConfigBlock::IsSameActor(const ActorPrefix& prefix) const {
  return prefix.pid == pid_ && prefix.actor == actor_ && prefix.ip == ip_;
}

bool VerlConfigBlock::Fits(std::string_view payload, std::size_t indent) const {
  const Shape shape = indent > 0 ? Shape::kIndented : Shape::kTrimmed;
  if (shape_ != Shape::kUnknown && shape != shape_) return false;
  if (!IsLiteralFront(payload)) return false;
  // The first line of a copy that lost its blanks must be a key or a text.
  const bool is_quoted = payload.front() == '\'' || payload.front() == '"';
  if (shape_ == Shape::kUnknown && shape == Shape::kTrimmed && !is_quoted) {
    return false;
  }
  const LineEnd end = ScanLine(payload, depth_);
  return end.closed || (!end.in_quotes && kLineBacks.find(payload.back()) !=
                                              std::string_view::npos);
}

VerlConfigBlock::Outcome VerlConfigBlock::Take(std::string_view payload,
                                               std::size_t indent,
                                               const ActorPrefix& prefix) {
  payload = TrimBlanks(StripEscapes(payload, &scratch_));
  if (payload.empty()) return Outcome::kIgnored;
  const bool starts = MayStart(payload) && indent == 0 && IsStart(payload);
  const bool is_same = is_open_ && IsSameActor(prefix);
  const bool is_strong = payload.starts_with(kStrongStart);
  if (starts && (!is_open_ || is_same || (is_strong && !is_strong_))) {
    const Outcome ended = is_open_ ? End(false) : Outcome::kIgnored;
    Open(payload, prefix);
    const Outcome taken = Append(payload);
    return ended == Outcome::kConfig && taken != Outcome::kConfig ? ended
                                                                  : taken;
  }
  if (!is_open_) return Outcome::kIgnored;
  if (!is_same || !Fits(payload, indent)) return Skip(is_same);
  shape_ = indent > 0 ? Shape::kIndented : Shape::kTrimmed;
  return Append(payload);
}

void VerlConfigBlock::Open(std::string_view payload,
                           const ActorPrefix& prefix) {
  is_open_ = true;
  is_strong_ = payload.starts_with(kStrongStart);
  shape_ = Shape::kUnknown;
  depth_ = 0;
  actor_.assign(prefix.actor);
  pid_.assign(prefix.pid);
  ip_.assign(prefix.ip);
  text_.clear();
}

VerlConfigBlock::Outcome VerlConfigBlock::Append(std::string_view payload) {
  const LineEnd end = ScanLine(payload, depth_);
  if (text_.size() + end.size >= kMaxBytes) {
    is_open_ = false;
    ++counts_.given_up;
    return Outcome::kTaken;
  }
  own_skipped_ = 0;
  foreign_skipped_ = 0;
  depth_ = end.depth;
  text_.append(payload.substr(0, end.size));
  text_ += '\n';
  if (end.closed) return End(true);
  if (!end.in_quotes) return Outcome::kTaken;
  // Only a first line comes here with a quote open: it was cut.
  text_.pop_back();
  return End(false);
}

VerlConfigBlock::Outcome VerlConfigBlock::Skip(bool is_same_actor) {
  std::size_t& skipped = is_same_actor ? own_skipped_ : foreign_skipped_;
  const std::size_t limit = is_same_actor ? kMaxOwnSkipped : kMaxForeignSkipped;
  if (++skipped < limit) return Outcome::kIgnored;
  return End(false) == Outcome::kConfig ? Outcome::kConfig : Outcome::kIgnored;
}

VerlConfigBlock::Outcome VerlConfigBlock::End(bool is_closed) {
  is_open_ = false;
  if (!MayBeConfig(is_closed)) {
    ++counts_.other_dicts;
    return Outcome::kTaken;
  }
  const PyStatus status = document_.Parse(text_);
  is_whole_ = status == PyStatus::kOk;
  if (status == PyStatus::kError) {
    ++counts_.given_up;
    return Outcome::kTaken;
  }
  if (!IsConfig(document_.root(), is_whole_)) {
    ++counts_.other_dicts;
    return Outcome::kTaken;
  }
  ++(is_whole_ ? counts_.configs : counts_.cut_configs);
  return Outcome::kConfig;
}

bool VerlConfigBlock::MayBeConfig(bool is_closed) const {
  return is_strong_ ||
         (text_.find("'data': {") != std::string::npos &&
          text_.find("'trainer': {") != std::string::npos) ||
         (!is_closed && text_.starts_with("{'data': {"));
}

bool VerlConfigBlock::Peek() {
  if (!is_open_ || !MayBeConfig(false)) return false;
  if (document_.Parse(text_) == PyStatus::kError) return false;
  is_whole_ = false;
  return IsConfig(document_.root(), false);
}

std::size_t PayloadIndent(std::string_view line, std::string_view payload,
                          const ActorPrefix& prefix) {
  std::string_view front = line.substr(0, line.size() - payload.size());
  std::size_t blanks = 0;
  while (front.ends_with(' ') || front.ends_with('\t')) {
    ++blanks;
    front.remove_suffix(1);
  }
  return prefix.present() && blanks > 0 ? blanks - 1 : blanks;
}

}  // namespace rlrun
