// A small file system in memory: the twin of the real one, with everything that
// can go wrong on demand and a count of every call.
// Files are found by absolute path, symbolic links are followed, open files go
// on working when their name is gone. Each change of a file moves the clock by
// a millisecond and stamps it.
// Thread-safe. Functions of the world abort the test on misuse (no parent, no
// such file) with std::logic_error.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/tail/file_source.h"

namespace rlrun {

class InMemoryFileSource : public FileSource {
 public:
  enum class Call { kStat, kList, kOpen, kRead, kFileStat };
  // Calls that were made, failed ones included.
  struct Counts {
    std::uint64_t stat = 0, list = 0, open = 0, read = 0, file_stat = 0;
    std::uint64_t canonical = 0, is_network = 0;
    std::uint64_t bytes_read = 0;
    std::uint64_t all() const {
      return stat + list + open + read + file_stat + canonical + is_network;
    }
  };

  InMemoryFileSource();
  ~InMemoryFileSource() override;

  // --- the world ---
  void Mkdir(const std::string& path);  // with parents
  // Creates (parents too), or truncates and writes: the inode stays.
  void Write(const std::string& path, std::string_view text);
  void Append(const std::string& path, std::string_view text);  // or creates
  void Truncate(const std::string& path, std::size_t size = 0);
  // The bytes from `offset` on are these; the file may grow.
  void Overwrite(const std::string& path, std::size_t offset,
                 std::string_view text);
  void Rename(const std::string& from, const std::string& to);  // replaces `to`
  void Remove(
      const std::string& path);  // a name, or a directory with all in it
  void Link(const std::string& from, const std::string& to);
  void Symlink(const std::string& target, const std::string& path);
  void MakeFifo(const std::string& path);
  void CopyTruncate(const std::string& path, const std::string& copy);
  // A temporary file that is renamed to `path`: editors, rsync.
  void Replace(const std::string& path, std::string_view text);
  void SetMtime(const std::string& path, std::int64_t ns);
  void SetClock(std::int64_t ns);  // of the next change, minus a millisecond
  // Copies a real folder below `path`: names, contents, times, symlinks.
  void LoadFolder(const std::string& folder, const std::string& path);
  std::string Content(const std::string& path);
  bool Exists(const std::string& path);
  FileStat StatOf(const std::string& path);  // uncounted, without faults

  // A new file takes the inode number freed last (as tmpfs and ext4 may do);
  // numbers are free when neither a name nor an open file is left.
  void ReuseInodes(bool on);
  // Gives the file that inode number, whoever else has it.
  void ForceInode(const std::string& path, std::uint64_t inode);
  // Everything at or below `path` reports that device.
  void SetDevice(const std::string& path, std::uint64_t device);
  // IsNetwork is true at or below `path`.
  void SetNetwork(const std::string& path);

  // --- faults, per path as the caller writes it; open files remember theirs --
  // The next `times` calls on `path` fail with that errno (-1: until cleared).
  void Fail(Call call, const std::string& path, int error, int times = -1);
  void ClearFaults(const std::string& path);
  void ShortReads(const std::string& path, std::size_t at_most);  // 0: off
  // Runs once, before the next such call on `path` looks at the file; it may
  // change the world: growth or shrinking between stat and read.
  void Before(Call call, const std::string& path, std::function<void()> change);
  // Calls on `path` or below it block until Release.
  void Block(const std::string& path);
  void WaitUntilBlocked(const std::string& path);
  void Release(const std::string& path);

  Counts counts();
  void ResetCounts();
  std::size_t open_files();                  // open now
  std::size_t open_files(const FileId& id);  // of one file

  // --- FileSource ---
  IoStatus Stat(const std::string& path, FileStat* stat) override;
  IoStatus List(const std::string& directory,
                std::vector<DirEntry>* entries) override;
  IoStatus Open(const std::string& path,
                std::unique_ptr<OpenFile>* file) override;
  std::string Canonical(const std::string& path) override;
  bool IsNetwork(const std::string& path) override;

 private:
  struct Node;
  struct Fault {
    int error = 0;
    int times = -1;
  };
  class File;
  using NodePtr = std::shared_ptr<Node>;

  NodePtr NewNode(FileKind kind);
  void Unname(const NodePtr& node);
  void FreeIfUnused(Node& node);
  int Resolve(const std::string& path, bool follow, NodePtr* node,
              std::string* real = nullptr);
  NodePtr Need(const std::string& path, bool follow = true);
  NodePtr Parent(const std::string& path, std::string* name);
  void Put(const std::string& path, const NodePtr& node);
  void Touch(Node& node);
  void WriteLocked(const std::string& path, std::string_view text, bool append);
  void RemoveLocked(const std::string& path);
  void Describe(const Node& node, FileStat* stat);
  // Hooks, blocks and faults in front of a call; 0 or the errno to return.
  int Enter(std::unique_lock<std::mutex>& lock, Call call,
            const std::string& path);

  std::mutex mutex_;
  std::condition_variable changed_;
  NodePtr root_;
  std::uint64_t next_inode_ = 100;
  std::vector<std::uint64_t> free_inodes_;
  bool reuse_inodes_ = false;
  std::int64_t clock_ns_ = 1750000000000000000;
  std::map<std::pair<Call, std::string>, Fault> faults_;
  std::map<std::pair<Call, std::string>, std::function<void()>> hooks_;
  std::map<std::string, std::size_t> short_reads_;
  std::map<std::string, int> blocked_;  // path to number of waiting calls
  std::set<std::string> network_;
  Counts counts_;
  std::multiset<const Node*> open_;
};

}  // namespace rlrun
