// A laboratory: runs of the scenario generator, some old and some being written,
// an exporter that reads them, and a Prometheus that scrapes it, as two targets:
// a run that two exporters see.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { ROOT } from './shipped.mjs';

// Written while they are scraped.
const LIVE = ['finished', 'healthy-async', 'healthy-resumed', 'healthy-sao',
  'kl_blowup', 'tree'];
// Written before, each as long ago as its own ledger looks at it.
const OLD = ['healthy', 'healthy-sft', 'check-actor_lr', 'nan_inf-critical',
  'no_signal-critical', 'plateau', 'trainer_crash', 'stall', 'lost',
  'interrupted', 'starting'];
const STEP_SECONDS = 0.15;
const PATIENCE = 120;  // seconds

// A run that prints every step key that a panel knows, of whatever trainer, for
// keys that no scenario prints. It has no project.
export const EVERY_KEY = 'every_key';

// A run of which nothing is here but its record; of project `lab`.
export const RECORD = 'calm-otter-0a1b';

function writeRecord(store) {
  const now = Math.floor(Date.now() / 1000);
  const write = (path, document) => {
    mkdirSync(dirname(join(store, path)), { recursive: true });
    writeFileSync(join(store, path), JSON.stringify(document));
  };
  write(`training-runs/${RECORD}.json`, {
    training_run_id: RECORD,
    modal_app_id: 'ap-Q7',
    framework: 'slime',
    config: { metrics: { provider: 'wandb', project: 'lab', run_id: 'w1b2c3d4' } },
    status: 'running',
    framework_status: 'generate_rollouts',
    created_at: now - 7200,
    started_at: now - 7200,
    updated_at: now - 20,
    metadata: { attempt_count: 2 },
  });
  for (const id of [0, 1]) {
    write(`training-rollouts-summary/${RECORD}/${RECORD}__0000000${id}.json`, {
      training_run_id: RECORD,
      rollout_id: id,
      created_at: now - 600 + 300 * id,
      total: 64,
      mean: 0.25 + 0.1 * id,
      rollout_time: 62.4,
    });
  }
}

const everyKeyLine = (keys, step) => `step:${step} - ` + keys.map((key, index) =>
  `${key}:${(0.1 + step / 10 + index / 1000).toFixed(4)}`).join(' - ') + '\n';

export class Lab {
  children = [];
  folder = mkdtempSync(join(tmpdir(), 'rlrun_lab.'));

  static async open(keys) {
    const lab = new Lab();
    try {
      await lab.start(keys);
    } catch (error) {
      lab.close();
      throw error;
    }
    return lab;
  }

  async start(keys) {
    const { RLRUN_EXPORTER, RLRUN_PEERS, RLRUN_PEERS_DEFAULT } = process.env;
    const prometheus = 
      join(RLRUN_PEERS || RLRUN_PEERS_DEFAULT, 'usr/bin/prometheus');
    assert(existsSync(prometheus),
      `${prometheus} is not here; scripts/install-deps.sh test unpacks it`);
    this.writeOld();
    mkdirSync(this.path('single'));
    this.log = this.path(`single/${EVERY_KEY}.log`);
    this.keys = keys;
    writeFileSync(this.log, everyKeyLine(keys, 1) + everyKeyLine(keys, 2));
    writeRecord(this.path('store'));
    mkdirSync(this.path('live'));
    this.exporterUrl = await this.spawn('exporter', RLRUN_EXPORTER, [
      this.path('old'), this.path('single'), this.path('live'),
      this.path('store'),
      '--web.listen-address=127.0.0.1:0',
    ], /Listening.*url="?(http:[^" ]+)/);
    this.exporter = this.children.at(-1);
    await this.startPrometheus(prometheus);
    await this.waitFor('count(up == 1) == 2');
    this.begin = Date.now() / 1000;
    this.startTrainer();
    await Promise.all([this.writeLive(), this.saveCheckpoint()]);
    // What was written last has been scraped some times.
    await this.waitFor('max(rlrun_exporter_log_bytes_behind) == 0');
    await sleep(4000);
    this.end = Date.now() / 1000;
    this.exporter.kill();
  }

  path(name) {
    return join(this.folder, name);
  }

  // Each old run ended so long ago that its ledger's time of looking is now.
  writeOld() {
    const write = (names, start) => execFileSync(process.env.RLRUN_SCENARIO,
      ['write', ...names, `--dir=${this.path('old')}`, `--start=${start}`,
        `--ledger=${this.path('ledger.json')}`]);
    const start = Math.floor(Date.now() / 1000) - 864000;
    write(OLD, start);
    const ledger = JSON.parse(readFileSync(this.path('ledger.json'), 'utf8'));
    rmSync(this.path('old'), { recursive: true });
    const lasts = new Map(ledger.map(({ scenario, at }) => [scenario, at - start]));
    const now = Math.floor(Date.now() / 1000);
    const byStart = new Map();
    for (const [name, seconds] of lasts) {
      byStart.set(now - seconds, [...(byStart.get(now - seconds) ?? []), name]);
    }
    for (const [from, names] of byStart) write(names, from);
  }

  async writeLive() {
    const child = spawn(process.env.RLRUN_SCENARIO, ['live', ...LIVE,
      `--dir=${this.path('live')}`, `--step-seconds=${STEP_SECONDS}`,
      `--ledger=${this.path('live.json')}`], { stdio: 'inherit' });
    this.children.push(child);
    const code = await new Promise((resolve) => child.on('exit', resolve));
    assert.equal(code, 0, 'rlrun_scenario');
  }

  // A process with a trainer's command line, which holds the log of EVERY_KEY.
  startTrainer() {
    this.children.push(spawn(process.env.RLRUN_STAND_IN,
      ['-m', 'verl.trainer.main_ppo', `trainer.experiment_name=${EVERY_KEY}`], {
        argv0: 'python3',
        env: { STAND_IN_OPEN: this.log },
        stdio: ['pipe', 'ignore', 'inherit'],
      }));
  }

  // A checkpoint of EVERY_KEY that takes some scrapes.
  async saveCheckpoint() {
    appendFileSync(this.log,
      'local_global_step_folder: checkpoints/lab/global_step_2\n');
    await sleep(3000);
    appendFileSync(this.log, everyKeyLine(this.keys, 3));
  }

  async startPrometheus(program) {
    const { port } = new URL(this.exporterUrl);
    writeFileSync(this.path('prometheus.yaml'), JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '2s' },
      rule_files: [join(ROOT, 'alerts/*.rules.yaml')],
      scrape_configs: [{
        job_name: 'rlrun_exporter',
        static_configs: [{
          targets: [`127.0.0.1:${port}`, `localhost:${port}`],
        }],
      }],
    }));
    this.url = 'http://' + await this.spawn('prometheus', program, [
      `--config.file=${this.path('prometheus.yaml')}`,
      `--storage.tsdb.path=${this.path('data')}`,
      '--web.listen-address=127.0.0.1:0',
    ], /Listening on" address=([0-9.:]+)/);
  }

  // Starts a program; the group of `pattern` in what it says, once it says it.
  // The kernel ends it with us, even where we are killed.
  spawn(name, program, args, pattern) {
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args],
      { stdio: ['ignore', 'pipe', 'pipe'] });
    this.children.push(child);
    let said = '';
    return new Promise((resolve, reject) => {
      const listen = (bytes) => {
        said += bytes;
        const match = pattern.exec(said);
        if (match) resolve(match[1]);
      };
      child.stdout.on('data', listen);
      child.stderr.on('data', listen);
      child.on('error', reject);
      child.on('exit', () => reject(new Error(`${name} ended: ${said}`)));
      setTimeout(() => reject(new Error(`${name} is silent: ${said}`)),
        PATIENCE * 1000).unref();
    });
  }

  async waitFor(expr) {
    for (let left = PATIENCE * 5; left > 0; --left) {
      const rows = await this.instant(expr).catch(() => []);
      if (rows.length > 0) return;
      await sleep(200);
    }
    throw new Error(`still not: ${expr}`);
  }

  async ask(path, parameters) {
    const url = `${this.url}/api/v1/${path}`;
    const answer = await fetch(url, parameters
      ? { method: 'POST', body: new URLSearchParams(parameters) } : undefined);
    const { status, data, error } = await answer.json();
    if (status !== 'success') throw new Error(`${error}: ${parameters?.query}`);
    return data;
  }

  // [{metric, value}]
  async instant(query, time) {
    const at = time ?? this.end;
    return (await this.ask('query', at ? { query, time: at } : { query })).result;
  }

  // [{metric, values}]
  async range(query) {
    return (await this.ask('query_range',
      { query, start: this.begin, end: this.end, step: 2 })).result;
  }

  async labelValues(selector, label) {
    return this.ask(`label/${label}/values?${
      new URLSearchParams({ 'match[]': selector })}`);
  }

  close() {
    for (const child of this.children) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
