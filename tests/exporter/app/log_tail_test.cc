#include "exporter/app/log_tail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "tests/support/in_memory_file_source.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(LogTail, LastLinesInTheirOrder) {
  EXPECT_THAT(LastLines("a\nb\nc\n", 2, false), ElementsAre("b", "c"));
  EXPECT_THAT(LastLines("a\nb\nc", 9, false), ElementsAre("a", "b", "c"));
  EXPECT_THAT(LastLines("", 3, false), IsEmpty());
}

TEST(LogTail, EmptyLinesAreLines) {
  EXPECT_THAT(LastLines("a\n\nb\n", 2, false), ElementsAre("", "b"));
}

TEST(LogTail, SecretsAreMasked) {
  EXPECT_THAT(
      LastLines("export HF_TOKEN=hf_AbCdEfGhIjKlMnOpQrStUv\n", 1, false),
      ElementsAre(Not(HasSubstr("AbCdEf"))));
}

TEST(LogTail, PartOfALineIsNotShown) {
  EXPECT_THAT(LastLines("cret value\nb\n", 5, true), ElementsAre("b"));
  EXPECT_THAT(LastLines("one long line", 5, true), IsEmpty());
}

TEST(LogTail, ProgressBarShowsItsNewestDrawing) {
  EXPECT_THAT(LastLines("10%\r50%\r90%\r\nb\r\n", 2, false),
              ElementsAre("90%", "b"));
}

TEST(LogTail, EscapesAndBadBytesAreGone) {
  EXPECT_THAT(LastLines("\x1b[31mred\x1b[0m \xFF\n", 1, false),
              ElementsAre("red \xEF\xBF\xBD"));
}

TEST(LogTail, LongLineIsCut) {
  EXPECT_EQ(LastLines(std::string(5000, 'x'), 1, false).front().size(), 200u);
}

TEST(LogTail, FileLargerThanWhatIsRead) {
  InMemoryFileSource files;
  files.Mkdir("/r");
  files.Append("/r/a.log", std::string(2u << 20, 'x') + "\nlast\n");
  EXPECT_THAT(ReadLogTail(files, "/r/a.log", 3), ElementsAre("last"));
}

TEST(LogTail, FileThatCannotBeReadSaysSo) {
  InMemoryFileSource files;
  files.Mkdir("/r");
  files.Append("/r/a.log", "x\n");
  files.Fail(InMemoryFileSource::Call::kOpen, "/r/a.log", EACCES);
  EXPECT_THAT(ReadLogTail(files, "/r/a.log", 3),
              ElementsAre(HasSubstr("cannot be read")));
}

}  // namespace
}  // namespace rlrun
