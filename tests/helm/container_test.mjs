// The command of each rendered container starts the real exporter, which reads
// a tree laid out like its mounts, and is probed and scraped as rendered.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import https from 'node:https';
import net from 'node:net';
import os from 'node:os';
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

// These have tests of their own.
const PLAIN = scenarios().filter(s => !['shards', 'web-config', 'web-probe'].includes(s));

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

test('PagesOfARunLinkWhereTheValuesSay', async () => {
  await scrape(render('pages'), {}, async (_, container) => {
    const page = await container.get('/runs/lab/kl_blowup');
    assert.match(page, /https:\/\/grafana\.example\.org\/g\/d\/rlrun-run/);
    assert.match(page, /https:\/\/wiki\.example\.org\/rlrun\/[A-Za-z]+\.md/);
  });
});

// A certificate of its own authority for 127.0.0.1, as a Secret would hold it.
function makeCertificate() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'rlrun-certificate-'));
  try {
    const result = spawnSync('openssl', [
      'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1',
      '-nodes', '-days', '2', '-subj', '/CN=rlrun', '-addext',
      'subjectAltName=IP:127.0.0.1', '-keyout', 'tls.key', '-out', 'tls.crt'
    ], {cwd: dir, encoding: 'utf8'});
    assert.equal(result.status, 0, result.stderr);
    return Object.fromEntries(['tls.crt', 'tls.key'].map(
        name => [name, fs.readFileSync(path.join(dir, name), 'utf8')]));
  } finally {
    fs.rmSync(dir, {recursive: true});
  }
}

// Status of a GET; `headers` and `ca` as node:https takes them.
function statusOf(url, options) {
  return new Promise((resolve, reject) => {
    https.get(url, options, answer => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode));
    }).once('error', reject);
  });
}

test('AWebConfigurationGuardsEveryRoute', async () => {
  const docs = render('web-config');
  const certificate = makeCertificate();
  const others = {'rlrun-web': {
    ...certificate,
    // "open sesame"
    'web-config.yaml': 'tls_server_config: {cert_file: tls.crt, key_file: tls.key}\n' +
        'basic_auth_users:\n' +
        '  prometheus: $2b$04$abcdefghijklmnopqrstuu/LVz6MZlItEy42I2juLihZ66HnQx/cy\n',
  }};
  const container = new Container(docs, {writeLogs, others});
  try {
    await container.start('https');
    const {tcpSocket} = container.container.readinessProbe;
    assert.deepEqual(tcpSocket, {port: 'metrics'});
    await new Promise((resolve, reject) => {
      const socket = net.connect(new URL(container.url).port, '127.0.0.1', () => {
        socket.destroy();
        resolve();
      });
      socket.once('error', reject);
    });
    const ca = certificate['tls.crt'];
    const headers = {authorization: `Basic ${btoa('prometheus:open sesame')}`};
    for (const route of ['/', '/metrics', '/-/healthy', '/-/ready', '/api/v1/runs', '/none']) {
      const url = container.url + route;
      assert.equal(await statusOf(url, {ca}), 401, route);
      const wrong = {authorization: `Basic ${btoa('prometheus:sesame')}`};
      assert.equal(await statusOf(url, {ca, headers: wrong}), 401, route);
      await assert.rejects(statusOf(url, {headers}), /certificate/, route);
    }
    assert.equal(await statusOf(container.url + scrapePath(docs), {ca, headers}), 200);
    assert.equal(await container.stop(), 0, container.stderr);
  } finally {
    await container.remove();
  }
});

test('ProbesWithAPasswordSeeWhenItIsReady', async () => {
  const certificate = makeCertificate();
  const others = {'rlrun-web': {
    ...certificate,
    // "open sesame"
    'web-config.yaml': 'tls_server_config: {cert_file: tls.crt, key_file: tls.key}\n' +
        'basic_auth_users:\n' +
        '  probe: $2b$04$abcdefghijklmnopqrstuu/LVz6MZlItEy42I2juLihZ66HnQx/cy\n',
  }};
  const container = new Container(render('web-probe'), {writeLogs, others});
  try {
    await container.start('https');
    for (const name of ['livenessProbe', 'readinessProbe']) {
      const {path: route, scheme, httpHeaders} = container.container[name].httpGet;
      assert.equal(scheme, 'HTTPS');
      const headers = Object.fromEntries(httpHeaders.map(h => [h.name, h.value]));
      const probe = () => statusOf(container.url + route, {rejectUnauthorized: false, headers});
      let status = await probe();
      for (let tries = 1200; status === 503 && tries > 0; --tries) {
        await new Promise(resolve => setTimeout(resolve, 50));
        status = await probe();
      }
      assert.equal(status, 200, name);
    }
    assert.equal(await container.stop(), 0, container.stderr);
  } finally {
    await container.remove();
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
