// Random histories of one log, followed by a tailer that is polled now and
// then. A ledger knows which lines the tailer owes at each moment: nothing is
// lost, doubled, reordered or invented, and no unfinished line becomes a whole
// one. Excused are only lines that no reader could have had: truncated away, or
// deleted while no handle was open, before a poll saw them.
// RLRUN_HISTORIES and RLRUN_SEED set the number and the first seed.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <random>

#include "tests/exporter/tail/tail_fixture.h"

namespace rlrun {
namespace {

constexpr int kKept = 6;  // rotated files

class History {
 public:
  explicit History(std::uint32_t seed)
      : random_(seed), seed_(seed), reuse_(Chance(0.5)) {
    fs_.Mkdir("/run");
    fs_.ReuseInodes(reuse_);
    banner_ = Chance(0.2);
    for (int i = 0; i < 40; ++i) {
      kBannerText += "banner actor.optim.weight_decay = 0.01\n";
    }
  }

  // What is wrong, empty: nothing.
  std::string Run() {
    const int events = 1 + Below(40);
    for (int i = 0; i < events && wrong_.empty(); ++i) {
      Event();
      Polls();
    }
    if (wrong_.empty()) Settle();
    return wrong_.empty() ? "" : wrong_ + "\nhistory:" + story_;
  }

 private:
  using Call = InMemoryFileSource::Call;
  // The owed lines of one file, by number; the file lives at `path` or is gone.
  struct Text {
    std::string rest;  // what completes the unfinished last line
    int unfinished = 0;
    std::vector<int> lines;
  };

  int Below(int n) { return std::uniform_int_distribution(0, n - 1)(random_); }
  bool Chance(double p) { return std::bernoulli_distribution(p)(random_); }
  void Tell(const std::string& what) { story_ += " " + what; }
  std::string Rotated(int i) { return log_ + "." + std::to_string(i); }

  void Event() {
    const bool there = fs_.Exists(log_);
    switch (Below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return Write();
      case 4:
        return WritePart();
      case 5:
        return there ? Truncate() : WriteLate();
      case 6:
        return there ? CopyTruncate() : WriteLate();
      case 7:
        if (!there) return;
        Rotate();
        if (Chance(0.3)) CreateEmpty();
        if (Chance(0.3)) WriteLate();
        return;
      case 8:
        if (!there) return;
        for (int i = 0; i < 2 + Below(2); ++i) Rotate(), Write();
        return;
      case 9:
        return there ? Replace() : Write();
      case 10:
        if (there) Delete();
        return;
      case 11:
        if (there) Delete(), Write();
        return;
      case 12:
        return Spell();
      case 13:
        Tell("stale");
        ForgetOrphans();
        faulty_ = true;
        return fs_.Fail(Chance(0.5) ? Call::kRead : Call::kFileStat, log_,
                        ESTALE, 1);
      case 14:
        if (!banner_) fs_.ShortReads(log_, Chance(0.3) ? 0u : 5u);
        return Tell("short");
      default:
        Tell("close");
        ForgetOrphans();
        return tailer_.Close();
    }
  }

  void Append(const std::string& path, const std::string& text) {
    fs_.Append(path, text);
    written_ += text.size();
  }

  std::string NewLine(Text* text) {
    const int number = ++last_number_;
    text->lines.push_back(number);
    std::string line = std::to_string(number) + ":";
    const int size = Chance(0.1) ? 400 : Below(40);
    for (int i = 0; i < size; ++i) {
      line += static_cast<char>('a' + Below(26));
    }
    lines_[number] = {line, true};
    return line + "\n";
  }

  std::string Finish(Text* text) {
    if (text->rest.empty()) return "";
    text->lines.push_back(text->unfinished);
    lines_[text->unfinished].owed = true;
    return std::exchange(text->rest, "");
  }

  void WriteTo(const std::string& path, Text* text) {
    std::string bytes = Finish(text);
    for (int i = Below(6); i >= 0; --i) bytes += NewLine(text);
    Append(path, bytes);
  }

  // The writer has opened the path again, so it writes here from now on.
  void Begin() {
    late_ = false;
    if (fs_.Exists(log_)) {
      if (fs_.StatOf(log_).size == 0 && banner_) Append(log_, kBannerText);
      return;
    }
    now_text_ = {};
    if (banner_) Append(log_, kBannerText);
  }

  void Write() {
    Tell("write");
    Begin();
    WriteTo(log_, &now_text_);
  }

  void WritePart() {
    Tell("part");
    Begin();
    // A banner alone could be that of any file.
    if (banner_) WriteTo(log_, &now_text_);
    std::string bytes = Finish(&now_text_);
    bytes += NewLine(&now_text_);
    now_text_.unfinished = now_text_.lines.back();
    now_text_.lines.pop_back();
    lines_[now_text_.unfinished].owed = false;
    // Not less than the number: a part that could be that of any line would
    // be taken for the beginning of another file.
    const std::string& line = lines_[now_text_.unfinished].text;
    const auto letters = static_cast<int>(line.size() - line.find(':'));
    const std::size_t cut =
        bytes.size() - 1 - static_cast<std::size_t>(Below(letters));
    now_text_.rest = bytes.substr(cut);
    Append(log_, bytes.substr(0, cut));
  }

  void CreateEmpty() {
    Tell("create");
    fs_.Append(log_, "");
    empty_.push_back(fs_.StatOf(log_).id);
  }

  bool Left(const FileId& id) const {
    return std::find(empty_.begin(), empty_.end(), id) != empty_.end();
  }

  // The writer still holds the renamed file. It is too late if the tailer has
  // gone over to the new one.
  void WriteLate() {
    if (rotated_.empty() || !late_ || !fs_.Exists(Rotated(1))) return;
    if (fs_.Exists(log_) && fs_.StatOf(log_).size > 0) return;
    Tell("late");
    const bool left = Left(tailer_.state().id);
    WriteTo(Rotated(1), &rotated_[0]);
    if (left || unknown_) Excuse(rotated_[0].lines);
  }

  void Excuse(const std::vector<int>& numbers) {
    for (const int number : numbers) lines_[number].owed = false;
  }

  void Truncate() {
    Tell("truncate");
    Excuse(now_text_.lines);
    now_text_ = {};
    if (Chance(0.5)) {
      fs_.Truncate(log_);
    } else {
      fs_.Truncate(log_);
      Write();
    }
  }

  void Shift() {
    if (rotated_.size() == kKept) {
      Unlink(Rotated(kKept), &rotated_.back());
      rotated_.pop_back();
    }
    for (int i = static_cast<int>(rotated_.size()); i >= 1; --i) {
      fs_.Rename(Rotated(i), Rotated(i + 1));
    }
  }

  void CopyTruncate() {
    Tell("copytruncate");
    Shift();
    Excuse(now_text_.lines);
    now_text_ = {};
    fs_.CopyTruncate(log_, Rotated(1));
    rotated_.insert(rotated_.begin(), Text{});
    late_ = false;
  }

  // What the tailer never opened, or cannot tell from another file, is not
  // owed when it loses the path.
  void Rotate() {
    Tell("rotate");
    Shift();
    const TailState& state = tailer_.state();
    unknown_ = !state.known || (reuse_ && state.offset == 0 && !tailer_.open());
    if (unknown_) Excuse(now_text_.lines);
    fs_.Rename(log_, Rotated(1));
    rotated_.insert(rotated_.begin(), now_text_);
    now_text_ = {};
    late_ = true;
    empty_.clear();
  }

  void Unlink(const std::string& path, Text* text) {
    const FileId id = fs_.StatOf(path).id;
    if (fs_.open_files(id) > 0 && !faulty_) {
      orphans_.insert(orphans_.end(), text->lines.begin(), text->lines.end());
    } else {
      Excuse(text->lines);
    }
    fs_.Remove(path);
  }

  // Handles are given up: what only they could read is not owed. With nothing
  // read of a file whose number is used again, the tailer takes the new file
  // for the old one and looks for none in between.
  void ForgetOrphans() {
    if (reuse_ && tailer_.state().offset == 0) {
      for (const Text& text : rotated_) Excuse(text.lines);
    }
    Excuse(orphans_);
    orphans_.clear();
  }

  void Delete() {
    Tell("delete");
    Unlink(log_, &now_text_);
    now_text_ = {};
  }

  void Replace() {
    Tell("replace");
    const bool was_empty = Left(fs_.StatOf(log_).id);
    std::string text = fs_.Content(log_);
    const std::size_t before = text.size();
    if (before > 0) {
      text += Finish(&now_text_);
      for (int i = Below(4); i > 0; --i) text += NewLine(&now_text_);
    }
    written_ += text.size() - before;
    fs_.Replace(log_, text);
    if (was_empty) empty_.push_back(fs_.StatOf(log_).id);
  }

  // The path cannot be used for some polls, shorter than rotate_wait.
  void Spell() {
    Tell("spell");
    static constexpr std::pair<Call, int> kSpells[] = {
        {Call::kOpen, EACCES}, {Call::kOpen, EMFILE}, {Call::kStat, EIO},
        {Call::kStat, EACCES}, {Call::kRead, EIO},    {Call::kFileStat, EIO}};
    const auto& [call, error] = kSpells[Below(6)];
    fs_.Fail(call, log_, error, 1 + Below(4));
    for (int i = Below(4); i > 0; --i) Poll(0.5, kPlenty);
    fs_.ClearFaults(log_);
  }

  TailOutcome Poll(double seconds, std::size_t budget) {
    now_ += seconds;
    const TailOutcome outcome = tailer_.Poll(fs_, now_, budget, &sink_);
    Check();
    return outcome;
  }

  void Polls() {
    const int polls = Below(4);
    for (int i = 0; i < polls; ++i) {
      const bool small = !banner_ && Chance(0.3);
      Tell(small ? "p" : "P");
      Poll(Chance(0.1) ? 30 : 0.5,
           small ? static_cast<std::size_t>(8 + Below(100)) : kPlenty);
      if (!small && !faulty_ && fs_.Exists(log_)) CheckNothingOwed();
      if (!small) fs_.ClearFaults(log_), faulty_ = false;
    }
  }

  void Settle() {
    Tell("| settle");
    fs_.ClearFaults(log_);
    Write();
    Poll(1, kPlenty);
    CheckNothingOwed();
  }

  // Every delivered line is a whole line that was written, and they come in
  // the order of writing; so none comes twice.
  void Check() {
    for (; checked_ < sink_.lines.size(); ++checked_) {
      const std::string& line = sink_.lines[checked_];
      if (line.starts_with("banner")) continue;
      const int number = std::atoi(line.c_str());
      const auto it = lines_.find(number);
      if (it == lines_.end() || it->second.text != line) {
        return Wrong("invented: " + line);
      }
      if (number <= last_delivered_) return Wrong("again or late: " + line);
      last_delivered_ = number;
      it->second.owed = false;
    }
    if (sink_.bytes_total > written_) Wrong("read more than was written");
  }

  void CheckNothingOwed() {
    // With an empty file at the path, or one that begins like the old one,
    // the tailer waits for rotate_wait, for each file that it leaves.
    const bool waits = banner_ || fs_.StatOf(log_).size == 0;
    for (int i = 0; waits && i < kKept; ++i) Poll(6, kPlenty);
    for (const auto& [number, line] : lines_) {
      if (line.owed) return Wrong("lost: " + line.text);
    }
  }

  void Wrong(const std::string& what) {
    if (wrong_.empty()) wrong_ = "seed " + std::to_string(seed_) + ": " + what;
  }

  struct Line {
    std::string text;
    bool owed = false;
  };

  std::mt19937 random_;
  const std::uint32_t seed_;
  const bool reuse_;  // inode numbers are used again
  const std::string log_ = "/run/train.log";
  std::string kBannerText;
  InMemoryFileSource fs_;
  Tailer tailer_{log_, TailOptions{}};
  RecordingSink sink_;
  double now_ = 1000;
  bool banner_ = false;
  bool faulty_ = false;  // the next call may fail

  std::map<int, Line> lines_;  // all that were ever begun
  Text now_text_;              // of the path
  std::vector<Text> rotated_;  // [0] is .1
  std::vector<int> orphans_;   // lines of unlinked files that are held open
  bool late_ = false;          // the writer may still have .1
  bool unknown_ = false;       // .1 was never opened by the tailer
  std::vector<FileId> empty_;  // files that were created behind .1
  int last_number_ = 0;
  int last_delivered_ = 0;
  std::size_t checked_ = 0;
  std::uint64_t written_ = 0;
  std::string wrong_;
  std::string story_;
};

unsigned long Setting(const char* name, unsigned long fallback) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoul(value, nullptr, 10) : fallback;
}

TEST(TailerPropertyTest, NothingIsLostDoubledOrInvented) {
  const unsigned long histories = Setting("RLRUN_HISTORIES", 1000);
  const unsigned long first = Setting("RLRUN_SEED", 1);
  int failures = 0;
  for (unsigned long i = 0; i < histories && failures < 5; ++i) {
    const std::string wrong =
        History(static_cast<std::uint32_t>(first + i)).Run();
    if (!wrong.empty()) ++failures;
    EXPECT_EQ(wrong, "");
  }
}

}  // namespace
}  // namespace rlrun
