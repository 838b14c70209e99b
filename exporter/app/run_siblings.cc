#include "exporter/app/run_siblings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "exporter/app/run_joins.h"
#include "exporter/discovery/path_glob.h"
#include "exporter/discovery/source_kind.h"

namespace rlrun {
namespace {

constexpr double kApart = 600;  // seconds between the stamps of one launch

using Runs = std::vector<JoinedSources>;

struct Node {
  std::size_t run = 0;                // index
  double stamp = 0;                   // seconds
  bool head = false;                  // a trainer has spoken
  std::optional<std::int64_t> nodes;  // of the launch, where stated
};

// The directory that holds the experiment's own, or, where it has none, the
// file's.
std::string Family(const std::string& path, const std::string& experiment) {
  const std::size_t at = path.rfind("/" + experiment + "/");
  return at == std::string::npos ? ParentOf(path) : path.substr(0, at);
}

std::optional<std::int64_t> StatedNodes(const JoinedSources& sources) {
  for (const TrackedFile* f : sources) {
    if (f->run().facts != nullptr && f->run().facts->nodes) {
      return f->run().facts->nodes;
    }
  }
  return std::nullopt;
}

bool OfSeveralNodes(const Node& a, const Node& b) {
  const auto stated = a.nodes ? a.nodes : b.nodes;
  return !stated || *stated > 1;
}

void Append(const JoinedSources& from, JoinedSources* to) {
  for (TrackedFile* f : from) {
    f->aside = f->helper = true;
    to->push_back(f);
  }
}

// Joins the nodes of one family; a run that was taken in is left empty.
void JoinFamily(std::vector<Node> nodes, Runs* runs) {
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) {
    return std::tie(a.stamp, a.run) < std::tie(b.stamp, b.run);
  });
  std::vector<Node*> waiting;
  for (Node& node : nodes) {
    if (node.head) continue;
    const Node* nearest = nullptr;
    for (const Node& head : nodes) {
      const double apart = std::abs(head.stamp - node.stamp);
      if (!head.head || apart > kApart || !OfSeveralNodes(node, head)) continue;
      if (nearest == nullptr || apart < std::abs(nearest->stamp - node.stamp)) {
        nearest = &head;
      }
    }
    if (nearest == nullptr) {
      waiting.push_back(&node);
      continue;
    }
    Append(std::exchange((*runs)[node.run], {}), &(*runs)[nearest->run]);
  }
  const Node* first = nullptr;
  for (Node* node : waiting) {
    if (!node->nodes || *node->nodes < 2) continue;
    if (first == nullptr || node->stamp - first->stamp > kApart) {
      first = node;
      continue;
    }
    Append(std::exchange((*runs)[node->run], {}), &(*runs)[first->run]);
  }
}

}  // namespace

Runs JoinSiblings(Runs runs) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<Node>>
      families;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunIdentity claim = ClaimOf(runs[i]);
    const auto stamped = ParseStampedName(claim.run);
    if (!stamped) continue;
    Node node{i, stamped->seconds, false, StatedNodes(runs[i])};
    for (const TrackedFile* f : runs[i]) {
      node.head = node.head || f->has_trainer();
    }
    families[{claim.project, stamped->stem,
              Family(runs[i].front()->path(), claim.run)}]
        .push_back(node);
  }
  bool joined = false;
  for (auto& [family, nodes] : families) {
    const bool helpers = std::any_of(nodes.begin(), nodes.end(),
                                     [](const Node& n) { return !n.head; });
    if (nodes.size() < 2 || !helpers) continue;
    JoinFamily(std::move(nodes), &runs);
    joined = true;
  }
  if (joined) std::erase_if(runs, [](const auto& r) { return r.empty(); });
  return runs;
}

}  // namespace rlrun
