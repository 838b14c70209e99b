#include "tests/support/in_memory_file_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace rlrun {
namespace {

constexpr std::int64_t kTick = 1000000;  // ns
constexpr int kMaxLinks = 40;

std::vector<std::string> Split(const std::string& path) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin < path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    if (!part.empty() && part != ".") parts.push_back(part);
    begin = end + 1;
  }
  return parts;
}

bool IsBelow(const std::string& path, const std::string& top) {
  return path.starts_with(top) &&
         (path.size() == top.size() || path[top.size()] == '/' || top == "/");
}

}  // namespace

struct InMemoryFileSource::Node {
  FileKind kind = FileKind::kRegular;
  FileId id;
  std::uint64_t links = 0;
  std::int64_t mtime_ns = 0;
  std::size_t handles = 0;
  std::string text;  // content, or the target of a symlink
  std::map<std::string, NodePtr> children;
};

class InMemoryFileSource::File : public OpenFile {
 public:
  File(InMemoryFileSource* source, std::string path, NodePtr node)
      : source_(source), path_(std::move(path)), node_(std::move(node)) {}
  ~File() override {
    const std::lock_guard lock(source_->mutex_);
    --node_->handles;
    source_->open_.erase(source_->open_.find(node_.get()));
    source_->FreeIfUnused(*node_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  IoStatus Read(std::uint64_t offset, char* buffer, std::size_t size,
                std::size_t* got) override {
    *got = 0;
    std::unique_lock lock(source_->mutex_);
    ++source_->counts_.read;
    if (const int error = source_->Enter(lock, Call::kRead, path_)) {
      return IoStatus::FromErrno(error);
    }
    const std::string& text = node_->text;
    if (offset >= text.size()) return IoStatus::Ok();
    const auto limit = source_->short_reads_.find(path_);
    if (limit != source_->short_reads_.end()) {
      size = std::min(size, limit->second);
    }
    *got = std::min(size, text.size() - static_cast<std::size_t>(offset));
    std::memcpy(buffer, text.data() + offset, *got);
    source_->counts_.bytes_read += *got;
    return IoStatus::Ok();
  }

  IoStatus Stat(FileStat* stat) override {
    std::unique_lock lock(source_->mutex_);
    ++source_->counts_.file_stat;
    if (const int error = source_->Enter(lock, Call::kFileStat, path_)) {
      return IoStatus::FromErrno(error);
    }
    source_->Describe(*node_, stat);
    return IoStatus::Ok();
  }

 private:
  InMemoryFileSource* const source_;
  const std::string path_;
  const NodePtr node_;
};

InMemoryFileSource::InMemoryFileSource() {
  root_ = NewNode(FileKind::kDirectory);
  root_->links = 1;
}
InMemoryFileSource::~InMemoryFileSource() = default;

InMemoryFileSource::NodePtr InMemoryFileSource::NewNode(FileKind kind) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->id.device = 1;
  if (reuse_inodes_ && !free_inodes_.empty()) {
    node->id.inode = free_inodes_.back();
    free_inodes_.pop_back();
  } else {
    node->id.inode = next_inode_++;
  }
  Touch(*node);
  return node;
}

void InMemoryFileSource::Touch(Node& node) {
  clock_ns_ += kTick;
  node.mtime_ns = clock_ns_;
}

void InMemoryFileSource::FreeIfUnused(Node& node) {
  if (node.links == 0 && node.handles == 0) {
    free_inodes_.push_back(node.id.inode);
  }
}

void InMemoryFileSource::Unname(const NodePtr& node) {
  for (const auto& [name, child] : node->children) Unname(child);
  node->children.clear();
  --node->links;
  FreeIfUnused(*node);
}

void InMemoryFileSource::Describe(const Node& node, FileStat* stat) {
  stat->id = node.id;
  stat->kind = node.kind;
  stat->size = node.kind == FileKind::kRegular ? node.text.size() : 0;
  stat->mtime_ns = node.mtime_ns;
  stat->links = node.links;
}

int InMemoryFileSource::Resolve(const std::string& path, bool follow,
                                NodePtr* node, std::string* real) {
  std::vector<std::string> todo = Split(path);
  std::reverse(todo.begin(), todo.end());
  std::vector<NodePtr> trail = {root_};
  std::vector<std::string> names;
  int links = 0;
  while (!todo.empty()) {
    const std::string part = std::move(todo.back());
    todo.pop_back();
    if (trail.back()->kind != FileKind::kDirectory) return ENOTDIR;
    if (part == "..") {
      if (trail.size() > 1) trail.pop_back(), names.pop_back();
      continue;
    }
    const auto it = trail.back()->children.find(part);
    if (it == trail.back()->children.end()) return ENOENT;
    const NodePtr& found = it->second;
    if (found->kind == FileKind::kSymlink && (follow || !todo.empty())) {
      if (++links > kMaxLinks) return ELOOP;
      if (found->text.starts_with('/')) trail.resize(1), names.clear();
      std::vector<std::string> target = Split(found->text);
      todo.insert(todo.end(), target.rbegin(), target.rend());
      continue;
    }
    trail.push_back(found);
    names.push_back(part);
  }
  *node = trail.back();
  if (real != nullptr) {
    real->clear();
    for (const std::string& name : names) *real += '/' + name;
    if (real->empty()) *real = "/";
  }
  return 0;
}

InMemoryFileSource::NodePtr InMemoryFileSource::Need(const std::string& path,
                                                     bool follow) {
  NodePtr node;
  if (Resolve(path, follow, &node) != 0) {
    throw std::logic_error("no such file in memory: " + path);
  }
  return node;
}

InMemoryFileSource::NodePtr InMemoryFileSource::Parent(const std::string& path,
                                                       std::string* name) {
  std::vector<std::string> parts = Split(path);
  if (parts.empty()) throw std::logic_error("the root has no parent");
  *name = parts.back();
  parts.pop_back();
  NodePtr node = root_;
  std::string sofar;
  for (const std::string& part : parts) {
    sofar += '/' + part;
    NodePtr next;
    if (Resolve(sofar, true, &next) != 0) {
      next = NewNode(FileKind::kDirectory);
      next->links = 1;
      node->children[part] = next;
      Touch(*node);
    }
    node = next;
  }
  return node;
}

// Gives `node` the name `path`; a file that has it loses it.
void InMemoryFileSource::Put(const std::string& path, const NodePtr& node) {
  std::string name;
  const NodePtr parent = Parent(path, &name);
  ++node->links;
  NodePtr& slot = parent->children[name];
  if (slot != nullptr) Unname(slot);
  slot = node;
  Touch(*parent);
}

void InMemoryFileSource::Mkdir(const std::string& path) {
  const std::lock_guard lock(mutex_);
  std::string name;
  Parent(path + "/x", &name);
}

void InMemoryFileSource::WriteLocked(const std::string& path,
                                     std::string_view text, bool append) {
  NodePtr node;
  if (Resolve(path, true, &node) != 0) {
    node = NewNode(FileKind::kRegular);
    Put(path, node);
  }
  if (!append) node->text.clear();
  node->text.append(text);
  Touch(*node);
}

void InMemoryFileSource::Write(const std::string& path, std::string_view text) {
  const std::lock_guard lock(mutex_);
  WriteLocked(path, text, false);
}

void InMemoryFileSource::Append(const std::string& path,
                                std::string_view text) {
  const std::lock_guard lock(mutex_);
  WriteLocked(path, text, true);
}

void InMemoryFileSource::Truncate(const std::string& path, std::size_t size) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = Need(path);
  node->text.resize(size, '\0');
  Touch(*node);
}

void InMemoryFileSource::Overwrite(const std::string& path, std::size_t offset,
                                   std::string_view text) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = Need(path);
  if (node->text.size() < offset + text.size()) {
    node->text.resize(offset + text.size(), '\0');
  }
  node->text.replace(offset, text.size(), text);
  Touch(*node);
}

void InMemoryFileSource::Rename(const std::string& from,
                                const std::string& to) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = Need(from, false);
  std::string name;
  Parent(from, &name)->children.erase(name);
  --node->links;
  Put(to, node);
}

void InMemoryFileSource::RemoveLocked(const std::string& path) {
  const NodePtr node = Need(path, false);
  std::string name;
  const NodePtr parent = Parent(path, &name);
  parent->children.erase(name);
  Unname(node);
  Touch(*parent);
}

void InMemoryFileSource::Remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  RemoveLocked(path);
}

void InMemoryFileSource::Link(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  Put(to, Need(from, false));
}

void InMemoryFileSource::Symlink(const std::string& target,
                                 const std::string& path) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = NewNode(FileKind::kSymlink);
  node->text = target;
  Put(path, node);
}

void InMemoryFileSource::MakeFifo(const std::string& path) {
  const std::lock_guard lock(mutex_);
  Put(path, NewNode(FileKind::kOther));
}

void InMemoryFileSource::CopyTruncate(const std::string& path,
                                      const std::string& copy) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = Need(path);
  const NodePtr twin = NewNode(FileKind::kRegular);
  twin->text = node->text;
  Put(copy, twin);
  node->text.clear();
  Touch(*node);
}

void InMemoryFileSource::Replace(const std::string& path,
                                 std::string_view text) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = NewNode(FileKind::kRegular);
  node->text = text;
  Put(path, node);
}

void InMemoryFileSource::SetMtime(const std::string& path, std::int64_t ns) {
  const std::lock_guard lock(mutex_);
  Need(path)->mtime_ns = ns;
}

void InMemoryFileSource::SetClock(std::int64_t ns) {
  const std::lock_guard lock(mutex_);
  clock_ns_ = ns;
}

std::string InMemoryFileSource::Content(const std::string& path) {
  const std::lock_guard lock(mutex_);
  return Need(path)->text;
}

bool InMemoryFileSource::Exists(const std::string& path) {
  const std::lock_guard lock(mutex_);
  NodePtr node;
  return Resolve(path, true, &node) == 0;
}

FileStat InMemoryFileSource::StatOf(const std::string& path) {
  const std::lock_guard lock(mutex_);
  FileStat stat;
  Describe(*Need(path), &stat);
  return stat;
}

void InMemoryFileSource::ReuseInodes(bool on) {
  const std::lock_guard lock(mutex_);
  reuse_inodes_ = on;
}

void InMemoryFileSource::ForceInode(const std::string& path,
                                    std::uint64_t inode) {
  const std::lock_guard lock(mutex_);
  Need(path)->id.inode = inode;
}

void InMemoryFileSource::SetDevice(const std::string& path,
                                   std::uint64_t device) {
  const std::lock_guard lock(mutex_);
  std::vector<NodePtr> todo = {Need(path)};
  while (!todo.empty()) {
    const NodePtr node = todo.back();
    todo.pop_back();
    node->id.device = device;
    for (const auto& [name, child] : node->children) todo.push_back(child);
  }
}

std::size_t InMemoryFileSource::open_files() {
  const std::lock_guard lock(mutex_);
  return open_.size();
}

std::size_t InMemoryFileSource::open_files(const FileId& id) {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(open_.begin(), open_.end(),
                    [&](const Node* node) { return node->id == id; }));
}

void InMemoryFileSource::SetNetwork(const std::string& path) {
  const std::lock_guard lock(mutex_);
  network_.insert(path);
}

IoStatus InMemoryFileSource::Stat(const std::string& path, FileStat* stat) {
  std::unique_lock lock(mutex_);
  ++counts_.stat;
  if (const int error = Enter(lock, Call::kStat, path)) {
    return IoStatus::FromErrno(error);
  }
  NodePtr node;
  if (const int error = Resolve(path, true, &node)) {
    return IoStatus::FromErrno(error);
  }
  Describe(*node, stat);
  return IoStatus::Ok();
}

IoStatus InMemoryFileSource::List(const std::string& directory,
                                  std::vector<DirEntry>* entries) {
  entries->clear();
  std::unique_lock lock(mutex_);
  ++counts_.list;
  if (const int error = Enter(lock, Call::kList, directory)) {
    return IoStatus::FromErrno(error);
  }
  NodePtr node;
  if (const int error = Resolve(directory, true, &node)) {
    return IoStatus::FromErrno(error);
  }
  if (node->kind != FileKind::kDirectory) return IoStatus::FromErrno(ENOTDIR);
  for (const auto& [name, child] : node->children) {
    entries->push_back({name, child->kind});
  }
  return IoStatus::Ok();
}

IoStatus InMemoryFileSource::Open(const std::string& path,
                                  std::unique_ptr<OpenFile>* file) {
  file->reset();
  std::unique_lock lock(mutex_);
  ++counts_.open;
  if (const int error = Enter(lock, Call::kOpen, path)) {
    return IoStatus::FromErrno(error);
  }
  NodePtr node;
  if (const int error = Resolve(path, true, &node)) {
    return IoStatus::FromErrno(error);
  }
  if (node->kind == FileKind::kDirectory) return IoStatus::FromErrno(EISDIR);
  if (node->kind != FileKind::kRegular) return IoStatus::FromErrno(ESPIPE);
  ++node->handles;
  open_.insert(node.get());
  *file = std::make_unique<File>(this, path, node);
  return IoStatus::Ok();
}

std::string InMemoryFileSource::Canonical(const std::string& path) {
  const std::lock_guard lock(mutex_);
  ++counts_.canonical;
  NodePtr node;
  std::string real;
  return Resolve(path, true, &node, &real) == 0 ? real : path;
}

bool InMemoryFileSource::IsNetwork(const std::string& path) {
  const std::lock_guard lock(mutex_);
  ++counts_.is_network;
  return std::any_of(network_.begin(), network_.end(),
                     [&](const auto& top) { return IsBelow(path, top); });
}

}  // namespace rlrun
