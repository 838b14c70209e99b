// The failure signatures that are judged on steps, in the order in which they
// are: no_signal first, for others read its level.
#include <array>

#include "exporter/signatures/failure_actor.h"
#include "exporter/signatures/failure_critic.h"
#include "exporter/signatures/failure_environment.h"
#include "exporter/signatures/failure_no_signal.h"
#include "exporter/signatures/failure_rollout.h"
#include "exporter/signatures/failure_step_time.h"
#include "exporter/signatures/failure_turns.h"
#include "exporter/signatures/failure_validation.h"
#include "exporter/signatures/rule.h"

namespace rlrun {

std::span<const StepRule> FailureRules() {
  static const std::array rules = {kNoSignalRule,
                                   kR3MisalignmentRule,
                                   kFrozenModelRule,
                                   kGradStarvationRule,
                                   kEnvAvalancheRule,
                                   kValFakeZeroRule,
                                   kValidationMissingRule,
                                   kNoToolCallCollapseRule,
                                   kCriticStarvationRule,
                                   kAllNegativeBatchCollapseRule,
                                   kDisNotReachingActorRule,
                                   kStepSlowdownRule};
  return rules;
}

}  // namespace rlrun
