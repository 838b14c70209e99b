// Which files below a root are followed, from which listing on, and until when.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "exporter/app/root_reader.h"
#include "exporter/discovery/chain_place.h"

namespace rlrun {
namespace {

// It, or a file that it goes on in.
bool IsThere(FollowedFile& file, const std::string& path,
             const std::set<std::string_view>& there) {
  if (there.contains(path)) return true;
  if (file.chain() == nullptr) return false;
  const std::vector<std::string> paths = file.chain()->paths();
  return std::any_of(paths.begin(), paths.end(),
                     [&there](const auto& p) { return there.contains(p); });
}

}  // namespace

// A link that points elsewhere by now is another run's.
void RootReader::LeaveOtherTargets() {
  for (auto it = files_.begin(); it != files_.end();) {
    const std::string& path = it->first;
    const std::string& followed = it->second->canonical_path();
    FollowedFile& file = *it->second;
    std::string now = path;
    if (followed != path && file.id() != file.named_id) {
      now = source_.Canonical(path);
    }
    if (now == path || now == followed) {  // itself: it cannot be told
      if (now == followed) file.named_id = file.id();
      ++it;
    } else {
      it = Drop(it);
    }
  }
}

RootReader::Files::iterator RootReader::Drop(Files::iterator it) {
  FileUpdate gone;
  gone.path = it->first;
  gone.removed = true;
  {
    const std::scoped_lock lock(mutex_);
    news_.updates.push_back(std::move(gone));
  }
  return files_.erase(it);
}

// A file that may be followed.
struct RootReader::Listed {
  std::string path;
  std::string canonical;
  FileStat stat;
  std::string chain, order;  // chain_place.h; empty: it is in none
};

bool RootReader::IsNew(const std::string& path) const {
  return !files_.contains(path) && !chained_.contains(path);
}

void RootReader::Follow(Now now) {
  std::set<FileId> followed;
  chained_.clear();
  for (const auto& [path, file] : files_) {
    followed.insert(file->id());
    const FileChain* chain = file->chain();
    if (chain == nullptr) continue;
    for (const std::string& member : chain->paths()) chained_.insert(member);
    for (const FileId& id : chain->ids()) followed.insert(id);
  }
  std::vector<Listed> fresh;
  for (const std::string& path : listing_.logs) {
    if (!IsNew(path)) continue;
    fresh.push_back({path, source_.Canonical(path), {}, {}, {}});
  }
  // A file that is reached by its own path and by a link is followed by its
  // own path, once.
  std::stable_partition(fresh.begin(), fresh.end(),
                        [](const Listed& f) { return f.path == f.canonical; });
  too_old_ = 0;
  unreadable_ = 0;
  std::vector<Listed> chained;
  for (Listed& file : fresh) {
    const IoStatus status = source_.Stat(file.path, &file.stat);
    if (!status.ok()) {
      if (status.code != IoCode::kNotFound) ++unreadable_;
      continue;
    }
    if (file.stat.kind != FileKind::kRegular) {
      ++unreadable_;
      continue;
    }
    if (!followed.insert(file.stat.id).second) continue;
    if (auto place = ChainPlaceOf(file.path)) {
      file.chain = std::move(place->chain);
      file.order = std::move(place->order);
      chained.push_back(std::move(file));
    } else if (IsTooOld(file.stat, now.wall)) {
      ++too_old_;
    } else {
      FollowOne(file);
    }
  }
  FollowChains(std::move(chained), now.wall);
}

bool RootReader::IsTooOld(const FileStat& stat, double now) const {
  return options_.age_limits &&
         now - static_cast<double>(stat.mtime_ns) * 1e-9 >
             options_.store.max_age;
}

FollowedFile* RootReader::FollowOne(const Listed& file) {
  const auto it = files_.emplace(
      file.path, std::make_unique<FollowedFile>(file.path, file.canonical,
                                                root_, options_.tail));
  it.first->second->named_id = file.stat.id;
  return it.first->second.get();
}

// Old files of a chain are read for what a young one continues.
void RootReader::FollowChains(std::vector<Listed> files, double now) {
  std::sort(files.begin(), files.end(), [](const Listed& a, const Listed& b) {
    return std::tie(a.chain, a.order, a.path) <
           std::tie(b.chain, b.order, b.path);
  });
  // By chain: its last file, and the order of that.
  std::map<std::string, std::pair<std::string, FollowedFile*>> known;
  for (const auto& [path, file] : files_) {
    if (file->chain() == nullptr) continue;
    auto place = ChainPlaceOf(file->chain()->paths().back());
    if (!place) continue;
    auto& last = known[place->chain];
    if (last.second == nullptr || last.first < place->order) {
      last = {std::move(place->order), file.get()};
    }
  }
  std::set<std::string_view> young;
  for (const Listed& file : files) {
    if (!IsTooOld(file.stat, now)) young.insert(file.chain);
  }
  for (const Listed& file : files) {
    const auto it = known.find(file.chain);
    if (it == known.end() && !young.contains(file.chain)) {
      ++too_old_;
      continue;
    }
    const bool goes_on = it != known.end() && it->second.first < file.order &&
                         !apart_.contains(file.path);
    if (goes_on) {
      it->second.second->chain()->Add(file.path, file.stat.id);
      it->second.second->next_turn = 0;
      it->second.first = file.order;
      continue;
    }
    FollowedFile* const follows = FollowOne(file);
    auto& last = known[file.chain];
    if (last.first < file.order) last = {file.order, follows};
  }
}

// Files that were taken for one chain and are none are read from their
// beginning, each as a file of its own. Returns whether there were any.
bool RootReader::SplitChains(Now now) {
  bool any = false;
  for (auto it = files_.begin(); it != files_.end();) {
    FileChain* const chain = it->second->chain();
    if (chain == nullptr || chain->apart().empty()) {
      ++it;
      continue;
    }
    any = true;
    apart_.insert(chain->apart());
    it = Drop(it);
  }
  if (any) Follow(now);
  return any;
}

// Below a directory that the newest listing could not read.
bool RootReader::InUnreadable(const std::string& path) const {
  return std::any_of(listing_.unreadable.begin(), listing_.unreadable.end(),
                     [&path](const std::string& directory) {
                       return path.starts_with(directory) &&
                              path.substr(directory.size()).starts_with('/');
                     });
}

void RootReader::NoteAbsence(Now now) {
  const std::set<std::string_view> there(listing_.logs.begin(),
                                         listing_.logs.end());
  for (auto it = files_.begin(); it != files_.end();) {
    FollowedFile& file = *it->second;
    if (IsThere(file, it->first, there) || InUnreadable(it->first)) {
      file.absent_since.reset();
      ++it;
      continue;
    }
    if (!file.absent_since) file.absent_since = now.steady;
    if (now.steady - *file.absent_since < FollowedFile::kAbsence) {
      ++it;
      continue;
    }
    it = Drop(it);
  }
}

}  // namespace rlrun
