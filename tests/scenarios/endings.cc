// How logs end: the texts of crashes, interrupts and end marks.
#include "tests/scenarios/console.h"
#include "tests/scenarios/noise.h"

namespace rlrun::scenarios {

void Console::Hydra() {
  Plain(
      "Error executing job with overrides: ['trainer.nnodes=1', "
      "'trainer.project_name=lab']");
  Plain("Traceback (most recent call last):");
  Plain("  File \"/opt/lab/verl/trainer/main_ppo.py\", line 42, in main");
  Plain("    run_ppo(config)");
  Plain("  File \"/opt/lab/verl/trainer/main_ppo.py\", line 96, in run_ppo");
  Plain("    ray.get(runner.run.remote(config))");
}

void Console::DiskFull(int step) {
  Line("local_global_step_folder: checkpoints/" + std::string(recipe_.project) +
       "/" + run_ + "/global_step_" + std::to_string(step));
  phase_ = "checkpoint_save";
  Flush();
  Wait(12);
  Hydra();
  Plain(
      "ray.exceptions.RayTaskError(OSError): \x1b[36mray::WorkerDict."
      "actor_rollout_save_checkpoint()\x1b[39m (pid=5001, ip=10.1.0.21, "
      "actor_id=7f00c2)");
  Plain("  File \"/opt/lab/torch/serialization.py\", line 1313, in _save");
  Plain("    zip_file.write_record(name, storage, num_bytes)");
  Plain("OSError: [Errno 28] No space left on device");
  Plain("");
  Plain("During handling of the above exception, another exception occurred:");
  Plain("");
  Plain("  File \"/opt/lab/torch/serialization.py\", line 835, in __exit__");
  Plain(
      "RuntimeError: [enforce fail at inline_container.cc:672] . unexpected "
      "pos 7919266816 vs 7919266712");
  Plain("");
  Plain(
      "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack "
      "trace.");
}

// The first line is the error; what follows are its echoes.
void Console::ActorDied() {
  Plain(
      "\x1b[33m(raylet)\x1b[0m A worker died or was killed while executing a "
      "task by an unexpected system error. To troubleshoot the problem, "
      "check the logs for the dead worker.");
  Wait(2);
  for (int rank = 1; rank < 4; ++rank) {
    pending_ += ActorPrefix("WorkerDict", 5001 + rank, "10.1.0.21") + "[rank" +
                std::to_string(rank) + "]:[E ProcessGroupNCCL.cpp:607] [Rank " +
                std::to_string(rank) +
                "] Watchdog caught collective operation timeout: "
                "WorkNCCL(SeqNum=131741, OpType=_ALLGATHER_BASE, "
                "Timeout(ms)=600000) ran for 600022 milliseconds before "
                "timing out.\n";
  }
  Plain("Traceback (most recent call last):");
  Plain("  File \"/opt/lab/verl/trainer/main_ppo.py\", line 96, in run_ppo");
  Plain("    ray.get(runner.run.remote(config))");
  Plain(
      "ray.exceptions.ActorDiedError: The actor died unexpectedly before "
      "finishing this task.");
  Plain("\tclass_name: WorkerDict");
}

void Console::CudaOom() {
  Hydra();
  Plain(
      "ray.exceptions.RayTaskError(OutOfMemoryError): \x1b[36mray::"
      "WorkerDict.actor_rollout_update_actor()\x1b[39m (pid=5001, "
      "ip=10.1.0.21, actor_id=7f00c2)");
  Plain("  File \"/opt/lab/verl/workers/engine.py\", line 310, in step");
  Plain("    loss.backward()");
  Plain(
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.64 "
      "GiB. GPU 0 has a total capacity of 79.11 GiB of which 2.02 GiB is "
      "free.");
  Plain("");
  Plain(
      "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack "
      "trace.");
}

void Console::HostOom() {
  Plain(
      "\x1b[33m(raylet)\x1b[0m A worker died or was killed while executing a "
      "task by an unexpected system error.");
  Plain(
      "ray.exceptions.OutOfMemoryError: Task was killed due to the node "
      "running low on memory.");
  Plain(
      "Memory on the node (IP: 10.1.0.21) was 503.02GB / 503.40GB, which "
      "exceeds the memory usage threshold of 0.95.");
  clock_.Advance(30);
  Plain("Training finished");
}

void Console::Interrupted() {
  Plain("Traceback (most recent call last):");
  Plain("  File \"/opt/lab/verl/trainer/main_ppo.py\", line 96, in run_ppo");
  Plain("    ray.get(runner.run.remote(config))");
  Plain("  File \"/opt/lab/ray/_private/worker.py\", line 2849, in get");
  Plain("    values, debugger_breakpoint = worker.get_objects(refs)");
  Plain("KeyboardInterrupt");
}

void Console::FinishedMarks(int step) {
  if (recipe_.family == Family::kSft) {
    Plain("Total time for train steps: " +
          std::to_string(static_cast<int>(clock_.seconds())) + ".00s");
  } else if (is_async()) {
    Line("[FullyAsyncTrainer] Training stopped by queue termination signal");
    pending_ += ActorPrefix("FullyAsyncTaskRunner", 8001, "") +
                "[ASYNC MAIN] One component completed successfully\n";
    pending_ += ActorPrefix("FullyAsyncTaskRunner", 8001, "") +
                "[ASYNC MAIN] Training completed or interrupted\n";
  } else {
    Line(
        "(\"Final validation metrics: {'val-core/lab/repair/reward/mean@1': "
        "np.float64(0.5125)}\")");
    Line("\r" + ProgressBar(step, total_));
  }
  Wait(9);
  Plain(
      "[rank0]:[W ProcessGroupNCCL.cpp:1476] Warning: WARNING: "
      "destroy_process_group() was not called before program exit, which "
      "can leak resources.");
  // Processes that are stopped when all is done look like dead ones.
  Plain(
      "\x1b[33m(raylet)\x1b[0m A worker died or was killed while executing a "
      "task by an unexpected system error.");
  Line("wandb: Synced 5 W&B file(s), 0 media file(s)");
}

void Console::Chatter(bool retries) {
  for (int i = 0; i < 285; ++i) {
    clock_.Advance(20);
    if (retries) {
      pending_ += ActorPrefix("RewardLoopWorker", 6100, "10.1.0.21") +
                  "INFO:" + clock_.Full() +
                  ":the judge returned None for this answer, asking again\n";
    } else {
      pending_ += EngineLineAt(clock_.MonthDay(), random_);
      Plain("INFO:     127.0.0.1:40522 - \"GET /health HTTP/1.1\" 200 OK");
    }
    if (i % 15 == 14) Flush();
  }
}

void Console::End(Ending ending, int step) {
  clock_.Advance(1);
  switch (ending) {
    case Ending::kRunning:
    case Ending::kStarting:
      break;
    case Ending::kFinished:
    case Ending::kEndedEarly:
      FinishedMarks(step);
      break;
    case Ending::kWrapperEnd:
      Plain("Training finished");
      break;
    case Ending::kDiskFull:
      DiskFull(step);
      break;
    case Ending::kActorDied:
      ActorDied();
      break;
    case Ending::kCudaOom:
      CudaOom();
      break;
    case Ending::kHostOom:
      HostOom();
      break;
    case Ending::kTraceback:
      Plain("Traceback (most recent call last):");
      Plain(
          "  File \"/opt/lab/verl/trainer/ray_trainer.py\", line 1488, in "
          "fit");
      Plain("    reward = self._compute_reward(batch)");
      Plain("KeyError: 'ground_truth'");
      break;
    case Ending::kInterrupted:
      Interrupted();
      break;
    case Ending::kTerminated:
      Plain("*** SIGTERM received at time=" +
            std::to_string(static_cast<std::int64_t>(clock_.now())) +
            " on cpu 11 ***");
      Plain("PC: @     0x7f2c5a1e3a0d  (unknown)  epoll_wait");
      break;
    case Ending::kChatter:
      Chatter(false);
      break;
    case Ending::kRetries:
      Chatter(true);
      break;
    case Ending::kInValidation:
      Line("test_gen_batch meta info: {'validate': True, 'global_steps': " +
           std::to_string(step) + "}");
      phase_ = "evaluate_rollouts";
      Flush();
      Wait(100);
      break;
  }
  Flush(true);
}

}  // namespace rlrun::scenarios
