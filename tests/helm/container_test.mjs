// The command of each rendered container starts the real exporter, which reads
// a tree laid out like its mounts, and is probed and scraped as rendered.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {Container} from './support/container.mjs';
import {startPrometheus} from './support/prometheus.mjs';
import {buildDir, containerOf, ofKind, peersDir, render, scenarios, workloadOf} from './support/helm.mjs';

const RUNS = ['frozen_model', 'kl_blowup'];
const MANY_RUNS = [
  ...RUNS, 'entropy_collapse', 'grad_explosion', 'length_collapse', 'nan_inf',
  'reward_drop', 'stall'
];
// What the chart does not make itself.
const OTHERS = {
  'rlrun-configuration': {
    'exporter.yaml': 'roots:\n  - path: /logs/shared\n',
    'config.yaml': 'roots:\n  - path: /logs/shared\n    labels: {cluster: north}\n',
  },
};

// Runs that have ended lately.
function writeRuns(dir, names) {
  const start = Math.floor(Date.now() / 1000) - 3 * 3600;
  const ledger = `${dir}.ledger.json`;
  const result = spawnSync(
      path.join(buildDir, 'bin/rlrun_scenario'),
      ['write', ...names, '--steps=20', `--dir=${dir}`, `--start=${start}`,
       `--ledger=${ledger}`],
      {encoding: 'utf8'});
  assert.equal(result.status, 0, result.stderr);
  fs.rmSync(ledger);
}

const writeLogs = dir => writeRuns(dir, RUNS);

// So that only the owner and one group may read: 0640, directories 0750.
function forGroupOnly(dir, group) {
  for (const entry of fs.readdirSync(dir, {withFileTypes: true})) {
    const file = path.join(dir, entry.name);
    if (entry.isDirectory()) forGroupOnly(file, group);
    if (entry.isFile()) fs.chownSync(file, 0, group);
    fs.chmodSync(file, entry.isDirectory() ? 0o755 : 0o640);
  }
}

// Where a monitor, or an annotation, would have Prometheus look.
function scrapePath(docs) {
  const monitor = ofKind(docs, 'ServiceMonitor')[0]?.spec.endpoints[0] ??
      ofKind(docs, 'PodMonitor')[0]?.spec.podMetricsEndpoints[0];
  return monitor?.path ?? '/metrics';
}

const runsOf = text =>
    [...text.matchAll(/^rlrun_info\{[^}]*\brun="([^"]+)"/gm)].map(m => m[1]).sort();

async function scrape(docs, options, check) {
  const container = new Container(docs, {writeLogs, others: OTHERS, ...options});
  try {
    await options.before?.(container);
    await container.start();
    await container.waitUntilReady();
    await container.get(container.container.livenessProbe.httpGet.path);
    await check(await container.get(scrapePath(docs)), container);
    assert.equal(await container.stop(), 0, container.stderr);
  } finally {
    await container.remove();
  }
}

// Those with flags of their own have tests of their own.
const PLAIN = scenarios().filter(s => !['shards', 'web-config'].includes(s));

for (const scenario of PLAIN) {
  test(`${scenario}IsScraped`, async () => {
    const docs = render(scenario);
    await scrape(docs, {}, text => {
      const expected = scenario === 'processes' ? [] : RUNS;
      assert.deepEqual(runsOf(text), expected);
      assert.match(text, /^rlrun_exporter_build_info\{/m);
      assert.match(text, /^rlrun_exporter_root_up\{[^}]*\} 1$/m);
      assert.doesNotMatch(text, /^rlrun_exporter_root_up\{[^}]*\} 0$/m);
    });
  });
}

test('LabelsOfARootAreScraped', async () => {
  await scrape(render('secret'), {}, text => {
    assert.match(text, /^rlrun_info\{[^}]*cluster="north"/m);
  });
});

test('PromtoolTakesTheScrape', async () => {
  await scrape(render('default'), {}, text => {
    const promtool = path.join(peersDir, 'usr/bin/promtool');
    const result = spawnSync(promtool, ['check', 'metrics'], {input: text, encoding: 'utf8'});
    // 3: findings of its lint, which names of a trainer's keys have.
    assert.ok(result.status === 0 || result.status === 3, result.stderr);
  });
});

test('LogsOfAGroupNeedThatGroup', {skip: process.getuid() === 0 ? false : 'needs root to hand files to a group'}, async () => {
  const before = container => forGroupOnly(container.logs, 2000);
  await scrape(render('claim'), {before}, text => assert.deepEqual(runsOf(text), RUNS));
  const without = render('claim', {podSecurityContext: {supplementalGroups: null}});
  await scrape(without, {before}, text => {
    assert.deepEqual(runsOf(text), []);
    assert.match(text, /^rlrun_exporter_files\{outcome="unreadable"\} 2$/m);
  });
});

test('EachRunIsOnOneShardAsPrometheusSeesIt', async () => {
  const docs = render('shards');
  const {metadata, spec} = workloadOf(docs);
  const shards = Array.from({length: spec.replicas}, (_, i) => new Container(docs, {
    writeLogs: dir => writeRuns(dir, MANY_RUNS),
    podName: `${metadata.name}-${i}`,
  }));
  let prometheus;
  try {
    const held = [];
    for (const shard of shards) {
      await shard.start();
      await shard.waitUntilReady();
      held.push(runsOf(await shard.get('/metrics')));
    }
    assert.deepEqual(held.flat().sort(), [...MANY_RUNS].sort());
    assert.ok(held.filter(runs => runs.length > 0).length > 1, JSON.stringify(held));

    prometheus = await startPrometheus(shards.map(s => s.url));
    await prometheus.waitFor('sum(up)', String(shards.length));
    const series = await prometheus.query('count by (run) (rlrun_info)');
    assert.deepEqual(series.map(s => s.metric.run).sort(), [...MANY_RUNS].sort());
    for (const s of series) assert.equal(s.value[1], '1', s.metric.run);
  } finally {
    await prometheus?.remove();
    for (const shard of shards) await shard.remove();
  }
});

test('AWrongConfigurationEndsTheContainer', async () => {
  const docs = render('configmap');
  const others = {'rlrun-configuration': {'exporter.yaml': 'roots:\n  - path: /logs/shared\npolls: {}\n'}};
  const container = new Container(docs, {writeLogs, others});
  try {
    await assert.rejects(container.start(), /ended with 64:.*exporter\.yaml:3: .*polls/s);
  } finally {
    await container.remove();
  }
});
