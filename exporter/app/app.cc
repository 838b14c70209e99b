#include "exporter/app/app.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "exporter/app/log.h"
#include "exporter/app/run_processes.h"
#include "exporter/exposition/text.h"
#include "exporter/report/hidden_text.h"

namespace rlrun {

// What Tick remembers of a root.
struct App::Root {
  explicit Root(const RootOptions& options) : namer(options) {}
  PathNamer namer;
  std::size_t number = 0;  // in the order in which roots were first named
  RootStatus status;
  bool down = false;  // as it was logged last
  bool known = false;
  std::shared_ptr<TrialReader> trials;
  bool trials_silent = false;
  std::shared_ptr<RecordReader> records;
  std::vector<std::string> stores;
  std::array<std::size_t, kFileOutcomes> record_files{};
};

namespace {

ReaderOptions MakeReaderOptions(const Config& config,
                                const AppOptions& options) {
  ReaderOptions out{config.tail, config.store, options.age_limits};
  if (!options.age_limits) out.tail.damage_wait = 0;  // there is one look
  return out;
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
      rules_([this](const RunIdentity& claim) {
        return config_.RulesFor(claim.project, claim.run);
      }),
      runs_(&config_.store, options_.age_limits, &self_, &rules_,
            options_.shard) {
  if (!options_.shard.all()) {
    self_.SetShard(options_.shard.index, options_.shard.count);
  }
  runs_.NoteReload(std::make_shared<FamilyTable>(config_.metrics));
  budget_.max = config_.store.max_series;
  for (const RootOptions& root : config_.roots) {
    readers_.push_back(MakeReader(root, config_, options_, source_));
    AddRoot(readers_.back().get());
  }
}

App::~App() = default;

void App::AddRoot(RootReader* reader) {
  auto root = std::make_unique<Root>(reader->root());
  root->trials = std::make_shared<TrialReader>(config_.trials, source_);
  root->records = std::make_shared<RecordReader>(
      MakeRecordOptions(reader->root()), source_);
  root->number = next_root_++;
  roots_[reader] = std::move(root);
}

RecordOptions App::MakeRecordOptions(const RootOptions& root) const {
  RecordOptions out;
  out.interval = config_.tail.directory_interval;
  out.network_factor = config_.tail.network_factor;
  out.vanish_grace = config_.store.vanish_grace;
  out.max_runs = root.max_files;
  out.one_look = !options_.age_limits;
  if (options_.age_limits) {
    out.max_age = config_.store.max_age;
    out.max_ended_age = config_.store.retention_finished;
  }
  return out;
}

void App::Tick(Now now) {
  const auto begin = std::chrono::steady_clock::now();
  TakeNews(now);
  TakeRecords();
  UpdateRuns(now);
  PlanTrials();
  TakeTrials();
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
  const auto go_on = [] { return true; };
  for (const auto& reader : record_readers()) {
    while (reader->Pass(now, go_on) == 0) {
    }
  }
  TakeRecords();
  UpdateRuns(now);
  PlanTrials();
  for (const auto& reader : trial_readers()) {
    while (reader->Pass(now, go_on) == 0) {
    }
  }
  Tick(now);
}

void App::TakeNews(Now now) {
  for (const auto& reader : readers_) {
    RootNews news = reader->Take();
    ApplyUpdates(reader.get(), &news.updates, now);
    NoteRoot(reader.get(), news, now);
  }
  std::array<std::size_t, kFileOutcomes> files{};
  bool all = true;
  for (const auto& [reader, root] : roots_) {
    for (std::size_t i = 0; i < kFileOutcomes; ++i) {
      files[i] += root->status.files[i] + root->record_files[i];
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
  if (news.status.caught_up && !root.status.caught_up) runs_.NoteCaughtUp();
  root.status = news.status;
  PlanStores(&root, news.status.stores);
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

void App::PlanStores(Root* root, const std::vector<std::string>& stores) {
  if (stores == root->stores) return;
  root->stores = stores;
  root->records->SetStores(stores);
  ++record_generation_;
}

void App::TakeRecords() {
  const double steady = std::chrono::duration<double>(
                            std::chrono::steady_clock::now().time_since_epoch())
                            .count();
  bool pending = false;
  for (const auto& reader : readers_) {
    Root& root = *roots_.at(reader.get());
    const RecordReader::News news = root.records->Take();
    for (const FileUpdate& update : news.updates) {
      ApplyUpdate(reader.get(), update);
    }
    const double waiting = root.records->WaitingSince();
    const bool silent =
        waiting > 0 && steady - waiting > config_.tail.root_timeout;
    const auto at = [&root](FileOutcome o) -> std::size_t& {
      return root.record_files[static_cast<std::size_t>(o)];
    };
    at(FileOutcome::kUnreadable) = news.unreadable;
    at(FileOutcome::kTooOld) = news.too_old;
    at(FileOutcome::kCapped) = news.capped;
    at(FileOutcome::kRun) = news.runs - news.unreadable - news.too_old;
    pending = pending || (!root.stores.empty() && !news.complete && !silent);
  }
  // Stores that are found later hold nothing up.
  records_read_ = records_read_ || (first_pass_done_ && !pending);
  runs_.SetRecordsPending(pending && !records_read_);
}

// Of many runs, little is in a cache when the next step of one comes: while one
// update is taken in, the memory of those behind it is asked for. A run is
// judged and rendered while what it rests on is at hand.
void App::ApplyUpdates(RootReader* reader, std::vector<FileUpdate>* updates,
                       Now now) {
  const std::size_t root = roots_.at(reader)->number;
  std::vector<TrackedFile*> files;  // null: not known yet
  files.reserve(updates->size());
  for (const FileUpdate& update : *updates) {
    const auto it = files_.find({update.path, {root, reader}});
    files.push_back(it == files_.end() ? nullptr : it->second.get());
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t stage = 0; stage < TrackedFile::kPrefetchStages; ++stage) {
      const std::size_t ahead = i + TrackedFile::kPrefetchStages - stage;
      if (ahead >= files.size()) continue;
      (*updates)[ahead].Prefetch(stage);
      if (files[ahead] != nullptr) files[ahead]->Prefetch(stage);
    }
    FileUpdate& update = (*updates)[i];
    if (update.removed) {
      TrackedFile* const gone = files[i];  // may be there again further on
      std::replace(files.begin(), files.end(), gone,
                   static_cast<TrackedFile*>(nullptr));
    }
    ApplyUpdate(reader, update);
    if (files[i] != nullptr && files[i]->group != nullptr) {
      files[i]->group->Prepare(now.wall);
    }
    update.facts.steps = {};
  }
}

void App::ApplyUpdate(RootReader* reader, const FileUpdate& update) {
  if (update.removed) {
    const auto it =
        files_.find({update.path, {roots_.at(reader)->number, reader}});
    if (it == files_.end()) return;
    runs_.NoteRemoval(it->second.get());
    files_.erase(it);
    return;
  }
  TrackedFile& file = FileOf(reader, update);
  const std::string error = file.error();
  const std::uint64_t shape = file.shape();
  const std::uint64_t bytes = file.run().progress.bytes_read;
  file.Apply(update);
  runs_.NoteUpdate(&file, shape, bytes);
  if (file.error() != error) {
    if (file.error().empty()) {
      Log(LogLevel::kInfo, "file can be read again", {{"path", update.path}});
    } else {
      Log(LogLevel::kWarn, "file cannot be read",
          {{"path", update.path}, {"error", file.error()}});
    }
  }
  CountDropped(&file);
}

TrackedFile& App::FileOf(RootReader* reader, const FileUpdate& update) {
  const Root& root = *roots_.at(reader);
  // The name of a record is its path without the ending.
  const auto named = [&update](const std::string& path) {
    return update.is_record && path.ends_with(".json")
               ? path.substr(0, path.size() - 5)
               : path;
  };
  std::unique_ptr<TrackedFile>& file =
      files_[{update.path, {root.number, reader}}];
  if (file == nullptr) {
    file = std::make_unique<TrackedFile>(
        update.canonical_path, update.path,
        root.namer.Name(named(update.canonical_path), named(update.path)),
        reader->root(), root.number, &config_.store, &budget_, &rules_);
  }
  return *file;
}

void App::CountDropped(TrackedFile* file) {
  std::uint64_t keys = file->TakeDroppedKeys();
  if (file->group != nullptr) keys += file->group->TakeDroppedKeys();
  if (keys != 0) self_.CountDropped(DropReason::kMaxKeysPerRun, keys);
  if (const auto n = file->TakeDroppedSeries(); n != 0) {
    self_.CountDropped(DropReason::kMaxSeries, n);
  }
}

void App::UpdateRuns(Now now) {
  if (!runs_.due(now)) return;
  std::vector<TrackedFile*> files;
  for (const auto& [key, file] : files_) files.push_back(file.get());
  std::map<std::size_t, bool> read;
  for (const auto& [reader, root] : roots_) {
    read[root->number] = root->status.caught_up;
  }
  runs_.Update(
      files, [&](std::size_t root) { return read[root]; }, now);
  QuietOthers();
}

// A log of another shard is looked at now and then: it may turn into a run of
// ours.
void App::QuietOthers() {
  if (options_.shard.all()) return;
  std::map<RootReader*, std::set<std::string>> quiet;
  for (const auto& [key, file] : files_) {
    if (!file->ours()) quiet[key.second.second].insert(key.first);
  }
  for (const auto& reader : readers_) {
    reader->SetQuiet(std::move(quiet[reader.get()]));
  }
}

std::vector<std::shared_ptr<TrialReader>> App::trial_readers() const {
  std::vector<std::shared_ptr<TrialReader>> out;
  for (const auto& reader : readers_) {
    out.push_back(roots_.at(reader.get())->trials);
  }
  return out;
}

std::vector<std::shared_ptr<RecordReader>> App::record_readers() const {
  std::vector<std::shared_ptr<RecordReader>> out;
  for (const auto& reader : readers_) {
    out.push_back(roots_.at(reader.get())->records);
  }
  return out;
}

void App::PlanTrials() {
  if (!trial_watch_.Changed(runs_.groups(), runs_.elsewhere(),
                            runs_.generation())) {
    return;
  }
  const bool wanted = config_.trials.enabled && !options_.only_processes;
  std::map<std::size_t, TrialPlan> plans;
  if (wanted) {
    plans = MakeTrialPlans(runs_.groups(), runs_.elsewhere(),
                           config_.trials.stuck_after);
  }
  for (RunGroup* group : runs_.groups()) {
    group->ExpectTrials(wanted);
    if (!wanted) group->SetTrials(nullptr);
  }
  for (const auto& [reader, root] : roots_) {
    root->trials->SetPlan(std::move(plans[root->number]));
  }
  ++trial_generation_;
}

void App::TakeTrials() {
  const bool wanted = config_.trials.enabled && !options_.only_processes;
  const double steady = std::chrono::duration<double>(
                            std::chrono::steady_clock::now().time_since_epoch())
                            .count();
  for (const auto& [reader, root] : roots_) {
    TrialNews news = root->trials->Take();
    for (const std::string& warning : news.warnings) {
      Log(LogLevel::kWarn, "trials are read without a cache",
          {{"error", warning}});
    }
    const double waiting = root->trials->WaitingSince();
    const bool silent =
        waiting > 0 && steady - waiting > config_.tail.root_timeout;
    const bool was_silent = std::exchange(root->trials_silent, silent);
    if (!wanted || (news.totals.empty() && silent == was_silent)) continue;
    for (RunGroup* group : runs_.groups()) {
      // Another root's reader may have had the run before.
      if (group->sources().front()->root_number() != root->number) continue;
      const auto it = news.totals.find(group->id());
      if (it != news.totals.end()) {
        group->SetTrials(std::move(it->second));
      }
      group->SetTrialsSilent(silent);
    }
  }
}

void App::PublishSnapshot(Now now) {
  auto next = std::make_shared<Snapshot>();
  next->ready = first_pass_done_;
  const auto add = [&next](std::shared_ptr<const SampleBlock> block) {
    next->series += block->samples;
    next->blocks.push_back(std::move(block));
  };
  if (!options_.only_processes) {
    // Which source a run is judged by is decided before anything is rendered.
    for (RunGroup* group : runs_.groups()) {
      group->JudgeAt(now.wall);
      group->AcquireKeys();
    }
  }
  for (RunGroup* group : runs_.groups()) {
    if (options_.only_processes) {
      add(group->ProcessBlock());
    } else {
      add(group->StepBlock());
      add(group->RunBlock());
      if (auto trials = group->TrialBlock()) add(std::move(trials));
      add(group->EngineBlock(now.wall));
      add(group->JudgementBlock());
    }
    next->runs.push_back(group->Summary());
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
  // The one before is not destroyed under the lock.
  std::shared_ptr<const Snapshot> published = std::move(next);
  const std::scoped_lock lock(mutex_);
  snapshot_.swap(published);
}

std::vector<RunKey> App::RunKeys() const {
  std::vector<RunKey> keys;
  for (const RunGroup* group : runs_.groups()) {
    keys.push_back(MakeRunKey(*group));
  }
  for (const RunElsewhere& run : runs_.elsewhere()) {
    keys.push_back(MakeRunKey(run));
  }
  return keys;
}

void App::TakeProcesses(const ProcessReport& report) {
  if (report.listed != processes_listed_) {
    processes_listed_ = report.listed;
    Log(report.listed ? LogLevel::kInfo : LogLevel::kWarn,
        report.listed ? "processes can be looked at"
                      : "processes cannot be looked at",
        {{"proc_root", config_.processes.proc_root}});
  }
  std::map<std::string_view, const RunProcesses*> found;
  for (const RunProcesses& run : report.runs) found[run.id] = &run;
  for (RunGroup* group : runs_.groups()) {
    const auto it = found.find(std::to_string(group->id()));
    if (it != found.end()) group->SetProcesses(MakeProcessFacts(*it->second));
  }
}

std::vector<RunReport> App::Reports(Now now) {
  std::vector<RunReport> reports;
  for (RunGroup* group : runs_.groups()) {
    reports.push_back(group->Report(now.wall));
  }
  return reports;
}

std::shared_ptr<const ReportSet> App::Pages(Now now) {
  auto set = std::make_shared<ReportSet>();
  set->made_at = now.wall;
  for (RunGroup* group : runs_.groups()) {
    auto page = std::make_shared<RunPage>(group->Page(now.wall));
    if (!options_.show_log_text) HideLogText(&page->report);
    set->runs.push_back(std::move(page));
  }
  return set;
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
      if (item.first.second.second != reader.get()) return false;
      runs_.NoteRemoval(item.second.get());
      return true;
    });
    self_.RemoveRoot(reader->root().path);
    roots_.erase(reader.get());
  }
  readers_ = std::move(readers);
  config_ = std::move(config);
  for (const auto& [reader, root] : roots_) {
    root->trials->SetOptions(config_.trials);
    root->records->SetOptions(MakeRecordOptions(reader->root()));
  }
  budget_.max = config_.store.max_series;
  // Keys may be exposed under other names now.
  runs_.NoteReload(std::make_shared<FamilyTable>(config_.metrics));
  for (const auto& [key, file] : files_) file->UpdateRules();
}

}  // namespace rlrun
