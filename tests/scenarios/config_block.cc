#include "tests/scenarios/config_block.h"

namespace rlrun::scenarios {
namespace {

using Lines = std::vector<std::string>;

void AddActorPart(const Recipe& recipe, bool async, bool sao, Lines* out) {
  const std::string deep(33, ' ');
  const std::string optim(43, ' ');
  out->push_back("{'actor_rollout_ref': {'actor': {'grad_clip': 1.0,");
  out->push_back(deep + "'kl_loss_coef': 0.001,");
  out->push_back(deep + "'optim': {'lr': 1e-06,");
  out->push_back(optim + "'lr_scheduler_type': '" + recipe.scheduler + "',");
  out->push_back(optim + "'lr_warmup_steps': " +
                 std::to_string(static_cast<int>(recipe.warmup)) + ",");
  out->push_back(optim + "'lr_warmup_steps_ratio': 0.0,");
  out->push_back(optim + "'total_training_steps': -1},");
  out->push_back(deep + std::string("'policy_loss': {'loss_mode': '") +
                 (sao ? "bypass_mode" : "vanilla") + "'},");
  out->push_back(deep + "'ppo_epochs': 1,");
  out->push_back(deep + "'ppo_mini_batch_size': 32,");
  out->push_back(deep + "'router_replay': {'mode': '" + recipe.replay + "'},");
  out->push_back(deep + std::string("'strategy': '") +
                 (async ? "veomni" : "fsdp2") + "',");
  out->push_back(deep + "'use_kl_loss': True},");
  const std::string part(23, ' ');
  out->push_back(part + "'model': {'path': '/models/lab-7b'},");
  out->push_back(part + "'rollout': {'gpu_memory_utilization': 0.8,");
  const std::string rollout(35, ' ');
  out->push_back(rollout + "'mode': 'async',");
  out->push_back(rollout + "'n': 8,");
  out->push_back(rollout + "'name': 'vllm',");
  out->push_back(rollout + "'temperature': 1.0,");
  out->push_back(rollout + "'tensor_model_parallel_size': 2}},");
}

void AddTrainerPart(const Recipe& recipe, const std::string& run, int total,
                    Lines* out) {
  const std::string deep(13, ' ');
  out->push_back(" 'trainer': {'critic_warmup': 0,");
  out->push_back(deep + "'default_local_dir': 'checkpoints/" + recipe.project +
                 "/" + run + "',");
  out->push_back(deep + "'experiment_name': '" + run + "',");
  out->push_back(deep + "'logger': ['console', 'wandb'],");
  out->push_back(deep + "'n_gpus_per_node': 8,");
  out->push_back(deep + "'nnodes': 1,");
  out->push_back(deep + "'project_name': '" + recipe.project + "',");
  out->push_back(deep + "'save_freq': 20,");
  out->push_back(deep + "'test_freq': " +
                 std::to_string(recipe.test_freq > 0 ? recipe.test_freq : -1) +
                 ",");
  out->push_back(deep + "'total_epochs': 15,");
  out->push_back(deep + "'total_training_steps': " + std::to_string(total) +
                 ",");
  out->push_back(deep + std::string("'val_before_train': ") +
                 (recipe.first_validation ? "True" : "False") + "}}");
}

}  // namespace

std::vector<std::string> ConfigBlock(const Recipe& recipe,
                                     const std::string& run, int total) {
  const bool sao = recipe.family == Family::kSao;
  const bool async = sao || recipe.family == Family::kAsync;
  const bool critic = sao || recipe.family == Family::kCritic;
  const bool filter = async || recipe.family == Family::kAgent;
  Lines out;
  AddActorPart(recipe, async, sao, &out);
  const std::string deep(15, ' ');
  out.push_back(std::string(" 'algorithm': {'adv_estimator': '") +
                (critic ? "gae" : "grpo") + "',");
  out.push_back(deep + "'gamma': 1.0,");
  out.push_back(deep + std::string("'rollout_correction': {'bypass_mode': ") +
                (sao ? "True" : "False") + ",");
  out.push_back(std::string(37, ' ') +
                (sao ? "'rollout_is': 'token'}," : "'rollout_is': None},"));
  out.push_back(deep + std::string("'trajectory_filter': {'enable': ") +
                (filter ? "True}}," : "False}},"));
  if (async) {
    const std::string part(20, ' ');
    out.push_back(" 'async_training': {'partial_rollout': True,");
    out.push_back(part + "'require_batches': 1,");
    out.push_back(part + "'staleness_threshold': 0.5,");
    out.push_back(part + "'trigger_parameter_sync_step': 1},");
  }
  out.push_back(std::string(" 'critic': {'grad_clip': ") +
                (sao ? "10.0," : "1.0,"));
  out.push_back(std::string(12, ' ') + "'optim': {'lr': 1e-05}},");
  out.push_back(" 'data': {'max_prompt_length': 4096,");
  out.push_back("          'max_response_length': 16384,");
  out.push_back(std::string("          'train_batch_size': ") +
                (async ? "0," : "32,"));
  out.push_back("          'train_files': '/data/lab/train.parquet'},");
  AddTrainerPart(recipe, run, total, &out);
  return out;
}

}  // namespace rlrun::scenarios
