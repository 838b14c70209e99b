#include "exporter/app/app.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "exporter/app/log.h"
#include "exporter/exposition/text.h"

namespace rlrun {

// What Tick remembers of a root.
struct App::Root {
  explicit Root(const RootOptions& options) : namer(options) {}
  PathNamer namer;
  std::size_t number = 0;  // in the order in which roots were first named
  RootStatus status;
  bool down = false;  // as it was logged last
  bool known = false;
};

namespace {

ReaderOptions MakeReaderOptions(const Config& config,
                                const AppOptions& options) {
  return {config.tail, config.store, options.age_limits};
}

std::shared_ptr<RootReader> MakeReader(const RootOptions& root,
                                       const Config& config,
                                       const AppOptions& options,
                                       FileSource* source) {
  return std::make_shared<RootReader>(root, MakeReaderOptions(config, options),
                                      source);
}

bool SameRoot(const RootOptions& a, const RootOptions& b) {
  return a.path == b.path && a.format == b.format && a.run_name == b.run_name &&
         a.labels == b.labels && a.max_depth == b.max_depth &&
         a.max_files == b.max_files;
}

}  // namespace

App::App(Config config, AppOptions options, FileSource* source)
    : config_(std::move(config)),
      options_(std::move(options)),
      source_(source),
      self_(options_.self),
      table_(std::make_shared<FamilyTable>(config_.metrics)) {
  budget_.max = config_.store.max_series;
  for (const RootOptions& root : config_.roots) {
    readers_.push_back(MakeReader(root, config_, options_, source_));
    AddRoot(readers_.back().get());
  }
}

App::~App() = default;

void App::AddRoot(RootReader* reader) {
  auto root = std::make_unique<Root>(reader->root());
  root->number = next_root_++;
  roots_[reader] = std::move(root);
}

void App::Tick(Now now) {
  const auto begin = std::chrono::steady_clock::now();
  TakeNews(now);
  PublishRuns(now);
  PublishSnapshot(now);
  self_.ObserveTick(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count());
}

void App::ReadInline(Now now) {
  bool more = true;
  while (more) {
    more = false;
    for (const auto& reader : readers_) more = reader->Pass(now) == 0 || more;
    TakeNews(now);
  }
  Tick(now);
}

void App::TakeNews(Now now) {
  for (const auto& reader : readers_) {
    RootNews news = reader->Take();
    for (const FileUpdate& update : news.updates) {
      ApplyUpdate(reader.get(), update);
    }
    NoteRoot(reader.get(), news, now);
  }
  std::array<std::size_t, kFileOutcomes> files{};
  bool all = true;
  for (const auto& [reader, root] : roots_) {
    for (std::size_t i = 0; i < kFileOutcomes; ++i) {
      files[i] += root->status.files[i];
    }
    all =
        all && (root->down || (root->status.listed && root->status.caught_up));
  }
  for (std::size_t i = 0; i < kFileOutcomes; ++i) {
    self_.SetFiles(static_cast<FileOutcome>(i), files[i]);
  }
  first_pass_done_ = first_pass_done_ || all;
}

void App::NoteRoot(RootReader* reader, const RootNews& news, Now now) {
  Root& root = *roots_.at(reader);
  root.status = news.status;
  const double waiting = reader->WaitingSince();
  const double steady = std::chrono::duration<double>(
                            std::chrono::steady_clock::now().time_since_epoch())
                            .count();
  const bool silent =
      waiting > 0 && steady - waiting > config_.tail.root_timeout;
  static_cast<void>(now);
  if (!news.status.listed && !silent) return;
  const bool down = silent || !news.status.up;
  if (root.known && down == root.down) return;
  self_.SetRootUp(reader->root().path, !down);
  if (down) {
    Log(LogLevel::kWarn, "root is down",
        {{"root", reader->root().path},
         {"error",
          silent ? "no answer from the file system" : news.status.error}});
  } else if (root.known) {
    Log(LogLevel::kInfo, "root is up again", {{"root", reader->root().path}});
  }
  root.down = down;
  root.known = true;
}

void App::ApplyUpdate(RootReader* reader, const FileUpdate& update) {
  const Key key{update.path, {roots_.at(reader)->number, reader}};
  auto it = files_.find(key);
  if (update.removed) {
    if (it != files_.end()) Remove(it);
    return;
  }
  if (it == files_.end()) {
    PathIdentity name =
        roots_.at(reader)->namer.Name(update.canonical_path, update.path);
    // Names are compared as they are exposed.
    name.project = RepairUtf8(name.project);
    name.run = RepairUtf8(name.run);
    auto file =
        std::make_unique<TrackedFile>(update.canonical_path, std::move(name),
                                      reader->root(), &config_.store, &budget_);
    it = files_.emplace(key, std::move(file)).first;
  }
  TrackedFile& file = *it->second;
  const std::string error = file.error();
  file.Apply(update);
  if (file.error() != error) {
    if (file.error().empty()) {
      Log(LogLevel::kInfo, "file can be read again", {{"path", update.path}});
    } else {
      Log(LogLevel::kWarn, "file cannot be read",
          {{"path", update.path}, {"error", file.error()}});
    }
  }
  if (const auto n = file.TakeDroppedKeys(); n != 0) {
    self_.CountDropped(DropReason::kMaxKeysPerRun, n);
  }
  if (const auto n = file.TakeDroppedSeries(); n != 0) {
    self_.CountDropped(DropReason::kMaxSeries, n);
  }
}

void App::Remove(std::map<Key, std::unique_ptr<TrackedFile>>::iterator it) {
  if (it->second->published()) {
    names_changed_ = true;
    Log(LogLevel::kInfo, "run is gone",
        {{"run", it->second->run().identity.run},
         {"path", it->second->path()}});
  }
  files_.erase(it);
}

void App::PublishRuns(Now now) {
  // A file that several roots reach is one run, and so are files that begin
  // with the same training line (a console copy, the JSONL of a log): a log
  // has it before a JSONL file, else the first path.
  std::vector<TrackedFile*> order;
  for (auto& [key, file] : files_) order.push_back(file.get());
  std::stable_partition(order.begin(), order.end(), [](const TrackedFile* f) {
    return f->run().source == "log";
  });
  std::set<FileId> taken;
  std::set<std::uint64_t> first_lines;
  for (TrackedFile* file : order) {
    const bool wanted =
        file->Publishable() &&
        !(options_.age_limits && file->Expired(now.wall)) &&
        taken.insert(file->id()).second &&
        (!file->first_line() || first_lines.insert(*file->first_line()).second);
    if (wanted && !file->published()) {
      // One that comes back is called as before.
      RunIdentity identity = file->run().identity;
      if (identity.run.empty()) {
        identity = {file->name().project, file->name().run};
      }
      file->Publish(std::move(identity), table_);
      names_changed_ = true;
    } else if (!wanted && file->published()) {
      file->Withdraw();
      names_changed_ = true;
    }
  }
  if (names_changed_) NameRuns();
  names_changed_ = false;
}

void App::NameRuns() {
  std::map<RunIdentity, std::vector<TrackedFile*>> claims;
  for (auto& [key, file] : files_) {
    if (file->published()) {
      claims[{file->name().project, file->name().run}].push_back(file.get());
    }
  }
  std::set<RunIdentity> given;
  for (auto& [identity, files] : claims) {
    for (TrackedFile* file : files) {
      RunIdentity wanted = identity;
      // A run that shared its name once keeps the longer one.
      if (files.size() > 1 || file->run().identity.run != identity.run) {
        wanted.run += "@" + PathHash(file->path());
      }
      // Another run may be called what a suffix makes of this one.
      while (!given.insert(wanted).second) {
        wanted.run += "@" + PathHash(file->path());
      }
      if (file->run().identity == wanted) continue;
      file->Publish(wanted, table_);
    }
    if (files.size() > 1 &&
        warned_names_.insert(identity.project + "/" + identity.run).second) {
      self_.CountCollision();
      Log(LogLevel::kWarn, "several runs claim one name; each gets a suffix",
          {{"project", identity.project},
           {"run", identity.run},
           {"path", files[0]->path()},
           {"other", files[1]->path()}});
    }
  }
}

void App::PublishSnapshot(Now now) {
  auto next = std::make_shared<Snapshot>();
  next->ready = first_pass_done_;
  for (auto& [key, file] : files_) {
    if (file->published()) file->AcquireKeys();
  }
  for (auto& [key, file] : files_) {
    if (!file->published()) continue;
    const Run& run = file->run();
    next->blocks.push_back(file->StepBlock());
    next->series += next->blocks.back()->samples;
    next->blocks.push_back(file->RunBlock());
    next->series += next->blocks.back()->samples;
    next->blocks.push_back(file->EngineBlock(now.wall));
    next->series += next->blocks.back()->samples;
    next->runs.push_back({run.identity.project, run.identity.run, run.path,
                          run.steps.last_step(LineClass::kTrain),
                          run.total_steps, run.last_step_time});
  }
  if (const auto n = std::exchange(budget_.refused, 0); n != 0) {
    self_.CountDropped(DropReason::kMaxSeries, n);
  }
  self_.SetRuns(next->runs.size());
  self_.SetSeries(next->series);
  std::sort(next->runs.begin(), next->runs.end(),
            [](const RunSummary& a, const RunSummary& b) {
              return std::tie(a.project, a.run) < std::tie(b.project, b.run);
            });
  const std::scoped_lock lock(mutex_);
  snapshot_ = std::move(next);
}

std::shared_ptr<const Snapshot> App::snapshot() const {
  const std::scoped_lock lock(mutex_);
  return snapshot_;
}

void App::Reload(Config config) {
  // Readers of roots that stay as they are keep their files and offsets.
  std::vector<std::shared_ptr<RootReader>> readers;
  for (const RootOptions& root : config.roots) {
    const auto it =
        std::find_if(readers_.begin(), readers_.end(), [&](const auto& reader) {
          return SameRoot(reader->root(), root) &&
                 std::find(readers.begin(), readers.end(), reader) ==
                     readers.end();
        });
    if (it != readers_.end()) {
      readers.push_back(*it);
      readers.back()->SetOptions(MakeReaderOptions(config, options_));
    } else {
      readers.push_back(MakeReader(root, config, options_, source_));
      AddRoot(readers.back().get());
    }
  }
  for (const auto& reader : readers_) {
    if (std::find(readers.begin(), readers.end(), reader) != readers.end()) {
      continue;
    }
    std::erase_if(files_, [&](const auto& item) {
      return item.first.second.second == reader.get();
    });
    self_.RemoveRoot(reader->root().path);
    roots_.erase(reader.get());
  }
  readers_ = std::move(readers);
  config_ = std::move(config);
  budget_.max = config_.store.max_series;
  // Keys may be exposed under other names now.
  table_ = std::make_shared<FamilyTable>(config_.metrics);
  for (auto& [key, file] : files_) {
    if (file->published()) file->Publish(file->run().identity, table_);
  }
  names_changed_ = true;
}

}  // namespace rlrun
