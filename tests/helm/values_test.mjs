// Values: wrong ones are refused in words that help, all of them are written
// down, and what the exporter can be configured with may be given.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import yaml from 'js-yaml';
import {attempt, buildDir, chartDir, containerOf, exporter, helm, ofKind, refusal, render, scenarios, sourceDir} from './support/helm.mjs';

const read = file => fs.readFileSync(path.join(chartDir, file), 'utf8');
const values = yaml.load(read('values.yaml'));
const schema = JSON.parse(read('values.schema.json'));
const logs = [{hostPath: '/data/runs'}];

const WRONG = {
  NoLogs: [{}, /logs: say where the logs are/],
  LogsOfNoKind: [{logs: [{name: 'a'}]}, /logs.*0/s],
  LogsOfTwoKinds: [{logs: [{hostPath: '/a', existingClaim: 'b'}]}, /logs.*0/s],
  ARelativePath: [{logs: [{hostPath: 'data/runs'}]}, /logs.*hostPath.*does not match pattern/s],
  TheWholeHost: [{logs: [{hostPath: '/'}]}, /hostPath.*does not match pattern/s],
  AMountOverTheSystem: [{logs: [{hostPath: '/usr'}]}, /logs\[0\]\.mountPath: a mount at \/usr would hide/],
  AMountOverTheConfiguration: [{logs: [{hostPath: '/etc/rlrun_exporter'}]}, /would hide/],
  AMountTwice: [{logs: [...logs, {hostPath: '/data/runs/', name: 'b'}]}, /logs\[1\]\.mountPath: \/data\/runs is there twice/],
  ANameTwice: [{logs: [{hostPath: '/a', name: 'x'}, {hostPath: '/b', name: 'x'}]}, /logs\[1\]\.name: x is there twice/],
  AnUnknownKey: [{logs, loggs: []}, /additional properties 'loggs' not allowed/],
  AnUnknownKeyBelow: [{logs, serviceMonitor: {enable: true}}, /serviceMonitor.*additional properties 'enable' not allowed/s],
  AnUnknownKeyOfTheConfiguration: [{logs, config: {polls: {}}}, /config.*additional properties 'polls' not allowed/s],
  AnUnknownKind: [{logs, kind: 'Daemonset'}, /kind.*(one of|must be)/s],
  ShardsOfADeployment: [{logs, shards: 2}, /shards: 2 shards need kind: StatefulSet, not Deployment/],
  NoShard: [{logs, kind: 'StatefulSet', shards: 0}, /shards.*minimum/s],
  ReplicasOfADaemonSet: [{logs, kind: 'DaemonSet', replicas: 2}, /replicas: belongs to kind: Deployment, not to DaemonSet/],
  ProcessesOfADeployment: [{logs, export: 'processes'}, /export: the processes of every node need kind: DaemonSet/],
  ProcessesThatAreOff: [{logs, processFacts: true, config: {processes: {enabled: false}}}, /config\.processes\.enabled: false contradicts/],
  TwoConfigurations: [{logs, config: {poll: {idle: '5s'}}, existingConfig: {configMap: 'a'}}, /config: has no effect with existingConfig/],
  TwoExistingConfigurations: [{logs, existingConfig: {configMap: 'a', secret: 'b'}}, /existingConfig: either configMap or secret/],
  ARootThatIsNotMounted: [{logs, config: {roots: [{path: '/data/run'}]}}, /config\.roots\[0\]\.path: \/data\/run is not below a mount \(\/data\/runs\)/],
  ANumberAsText: [{logs, config: {limits: {max_series: 'many'}}}, /max_series.*(integer|got string)/s],
  ABadPort: [{logs, service: {port: 70000}}, /port.*maximum/s],
  ABadDigest: [{logs, image: {digest: 'sha256:1'}}, /digest.*does not match pattern/s],
  AnAlertThatIsNone: [{logs, prometheusRule: {enabled: true, disabled: ['RLRunPlateu']}}, /prometheusRule\.disabled: no alert is called RLRunPlateu/],
  ARuleWithoutAName: [{logs, prometheusRule: {extraGroups: [{name: 'a', rules: [{expr: '1'}]}]}}, /extraGroups.*rules/s],
  ADisruptionBudgetOfADaemonSet: [{logs, kind: 'DaemonSet', podDisruptionBudget: {enabled: true}}, /podDisruptionBudget: a drain leaves/],
  ADisruptionBudgetOfTwoKinds: [{logs, podDisruptionBudget: {enabled: true, minAvailable: 1}}, /podDisruptionBudget: one of minAvailable and maxUnavailable/],
  ProbesOfNoWebConfig: [{logs, webConfig: {probe: {handler: 'httpGet'}}}, /webConfig\.probe: has no effect without/],
  HeadersOfATcpProbe: [{logs, webConfig: {secretName: 'a', probe: {httpHeaders: [{name: 'a', value: 'b'}]}}}, /httpHeaders: go with handler: httpGet/],
  AProbeByCommand: [{logs, webConfig: {secretName: 'a', probe: {handler: 'exec'}}}, /handler.*(one of|must be)/s],
  AnUnknownRule: [{logs, config: {rules: {timeout_shares: {bound: 0.3}}}}, /rules.*additional properties 'timeout_shares' not allowed/s],
  AnUnknownNumberOfARule: [{logs, config: {rules: {timeout_share: {bounds: 0.3}}}}, /timeout_share.*additional properties 'bounds' not allowed/s],
  AnUnknownRuleOfARun: [{logs, config: {runs: [{match: '*', rules: {stal: {}}}]}}, /rules.*additional properties 'stal' not allowed/s],
  AMisspeltSecurityContext: [{logs, securityContext: {readOnlyRootFileSystem: true}}, /securityContext.*additional properties 'readOnlyRootFileSystem'/s],
  AMisspeltPodSecurityContext: [{logs, podSecurityContext: {supplementalGroup: [1]}}, /podSecurityContext.*additional properties 'supplementalGroup'/s],
  AMisspeltTlsConfig: [{logs, serviceMonitor: {tlsConfig: {insecure: true}}}, /tlsConfig.*additional properties 'insecure'/s],
  AMisspeltPeer: [{logs, networkPolicy: {from: [{podSelectors: {}}]}}, /from.*additional properties 'podSelectors'/s],
  AMisspeltUpdateStrategy: [{logs, updateStrategy: {rolling: {}}}, /updateStrategy.*additional properties 'rolling'/s],
  AMountOverTheCache: [{logs: [{existingClaim: 'a', mountPath: '/var/cache/rlrun_exporter'}], cache: {enabled: true}}, /logs\[0\]\.mountPath: .* is the cache/],
  AMountOverAnotherVolume: [{logs, extraVolumeMounts: [{name: 'a', mountPath: '/data/runs'}]}, /logs\[0\]\.mountPath: .* one of extraVolumeMounts/],
  AMountWithAColon: [{logs: [{hostPath: '/data:1'}]}, /must not hold a colon.*another mountPath/],
  TheWholeHostTwiceSaid: [{logs: [{hostPath: '//'}]}, /hostPath.*does not match pattern/s],
  AWayUp: [{logs: [{existingClaim: 'a', subPath: 'runs/../..'}]}, /subPath/],
  MoreShardsThanThereMayBe: [{logs, kind: 'StatefulSet', shards: 1025}, /shards.*maximum/s],
  AnExternalUrlWithABlank: [{logs, externalUrl: 'https://a b/'}, /externalUrl.*does not match pattern/s],
  AVolumeOfTheChartsOwn: [{logs, extraVolumes: [{name: 'config', emptyDir: {}}]}, /extraVolumes\[0\]\.name: config is the chart's own/],
  AnArgumentThatIsAValue: [{logs, extraArgs: ['--shard=0/2']}, /extraArgs\[0\]: for --shard there is the value shards/],
  ALiveSuccessThreshold: [{logs, livenessProbe: {successThreshold: 3}}, /livenessProbe\.successThreshold: must be 1/],
  MoreThanAllPods: [{logs, podDisruptionBudget: {enabled: true, maxUnavailable: '150%'}}, /maxUnavailable.*does not match pattern/s],
  ANameThatIsNoService: [{logs, fullnameOverride: '123'}, /fullnameOverride.*does not match pattern/s],
  ARunbookUrlWithAQuote: [{logs, prometheusRule: {runbookBaseUrl: 'https://x/"y'}}, /runbookBaseUrl.*does not match pattern/s],
  AGrafanaThatIsNoUrl: [{logs, pages: {grafanaUrl: 'grafana:3000'}}, /grafanaUrl.*does not match pattern/s],
  ARunbookUrlWithAQuery: [{logs, pages: {runbookUrl: 'https://a/?q='}}, /runbookUrl.*does not match pattern/s],
  ARelativeTelemetryPath: [{logs, telemetryPath: 'metrics'}, /telemetryPath.*does not match pattern/s],
  TwoMonitors: [{logs, serviceMonitor: {enabled: true}, podMonitor: {enabled: true}}, /serviceMonitor and podMonitor: every pod would be scraped twice/],
  ALabelThatIsANumber: [{logs, podLabels: {a: 1}}, /podLabels.*(string|got number)/s],
};
for (const [name, [wrong, message]] of Object.entries(WRONG)) {
  test(`${name}IsRefused`, () => assert.match(refusal(wrong), message));
}

// null takes a default away. What cannot be without one says so; the rest is
// rendered without.
test('NullIsRefusedByNameOrTaken', async t => {
  const take = (name, part) => t.test(name, () => {
    const result = attempt({logs, ...part});
    if (result.status !== 0) {
      assert.match(result.stderr, new RegExp(`missing propert.*'${name.split('.').pop()}'`));
    } else {
      assert.doesNotMatch(result.stdout, /: null$|<nil>|<no value>/m);
    }
  });
  // The schema refuses what it requires, the same way for all.
  await take('service', {service: null});
  await take('service.port', {service: {port: null}});
  const required = name => (schemaOf(name) ?? schema).required ?? [];
  for (const [key, value] of Object.entries(values)) {
    if (key === 'logs') continue;
    if (!schema.required.includes(key)) await take(key, {[key]: null});
    if (!value || typeof value !== 'object' || Array.isArray(value)) continue;
    if (key === 'podMonitor') continue;  // of one schema with serviceMonitor
    for (const below of Object.keys(value)) {
      if (required(key).includes(below)) continue;
      await take(`${key}.${below}`, {[key]: {...ON[key], [below]: null}});
    }
  }
});
// What must be on for a value to matter.
const ON = Object.fromEntries([
  'serviceMonitor', 'prometheusRule', 'dashboards', 'networkPolicy', 'cache'
].map(key => [key, {enabled: true}]));

// `a.b.c` of every leaf; maps and lists that are empty are leaves.
function leaves(value, name = '') {
  const isMap = value && typeof value === 'object' && !Array.isArray(value);
  if (!isMap || Object.keys(value).length === 0) return [name];
  return Object.entries(value).flatMap(
      ([key, below]) => leaves(below, name ? `${name}.${key}` : key));
}

function schemaOf(name) {
  let at = schema;
  for (const key of name.split('.')) {
    if (at?.$ref) at = schema.definitions[at.$ref.split('/').pop()];
    at = at?.properties?.[key];
  }
  return at?.$ref ? schema.definitions[at.$ref.split('/').pop()] : at;
}

test('EveryValueIsInTheSchema', () => {
  // Contexts of Kubernetes and volumes are free.
  const free = /^(podSecurityContext|securityContext|cache\.volume)\./;
  const missing = leaves(values).filter(n => !free.test(n) && !schemaOf(n));
  assert.deepEqual(missing, []);
});

test('EveryValueOfTheSchemaHasADefault', () => {
  const missing = Object.keys(schema.properties).filter(key => !(key in values));
  assert.deepEqual(missing, []);
  for (const [key, part] of Object.entries(schema.properties)) {
    // Of Kubernetes: what may be there, none of it need be.
    if (/^resources$|ecurityContext$|^updateStrategy$/.test(key)) continue;
    if (part.additionalProperties !== false) continue;
    assert.deepEqual(Object.keys(part.properties).filter(k => !(k in values[key])), [], key);
  }
});

test('EveryValueIsInTheReadme', () => {
  const readme = read('README.md');
  const rows = new Map([...readme.matchAll(/^\| `([^`]+)` \| `([^`]*)` \|/gm)]
      .map(([, name, text]) => [name, text]));
  const shown = name => rows.has(name) ? name
      : [...rows.keys()].find(row => name.startsWith(`${row}.`));
  const missing = leaves(values).filter(n => !shown(n));
  assert.deepEqual(missing, []);
  const at = name => name.split('.').reduce((v, key) => v?.[key], values);
  for (const [name, text] of rows) {
    assert.deepEqual(yaml.load(text), at(name) ?? null, name);
  }
});

test('ARootBelowAMountThatEndsInASlashIsTaken', () => {
  render(null, {
    logs, config: {roots: [{path: '/more/a'}]},
    extraVolumes: [{name: 'more', emptyDir: {}}],
    extraVolumeMounts: [{name: 'more', mountPath: '/more/'}],
  });
});

// What a rule has are numbers, by name, as config.example.yaml has them.
test('EveryRuleIsInTheSchema', () => {
  const rules = schema.definitions.rules.properties;
  const names = part => Object.keys(part).sort();
  const example = exampleConfig().rules;
  assert.deepEqual(names(rules), names(example));
  for (const [name, numbers] of Object.entries(example)) {
    assert.deepEqual(names(rules[name].properties), names(numbers), name);
  }
});

test('NothingOfTheSchemaIsOpenByMistake', () => {
  const open = [];
  const walk = (part, name) => {
    if (part.properties && part.additionalProperties === undefined) open.push(name);
    for (const [key, below] of Object.entries(part.properties ?? {})) {
      walk(below, `${name}.${key}`);
    }
    if (part.items) walk(part.items, `${name}[]`);
  };
  walk(schema, '');
  for (const [name, part] of Object.entries(schema.definitions)) walk(part, name);
  // Helm hands `global` of a parent chart down, whatever is in it.
  assert.deepEqual(open, ['.global']);
});

test('NotesTellHowToReachIt', () => {
  const notes = (...args) => {
    const result = helm('install', 'ci', chartDir, '--namespace', 'training',
                        '--dry-run=client', '--set', 'logs[0].hostPath=/data/runs', ...args);
    assert.equal(result.status, 0, result.stderr);
    return result.stdout.split('\nNOTES:\n')[1];
  };
  const plain = notes();
  assert.match(plain, /reads, and never writes,\n {2}\/data\/runs\n/);
  assert.match(plain, /port-forward service\/ci-rlrun-exporter 10190:10190/);
  assert.match(plain, /Nothing scrapes it yet/);
  assert.match(plain, /user of the pod \(65532\)/);
  const shards = notes('--set', 'kind=StatefulSet,shards=2,serviceMonitor.enabled=true,webConfig.secretName=x');
  assert.match(shards, /port-forward "\$pod" 10190/);
  assert.match(shards, /https:\/\/127\.0\.0\.1:10190\/metrics/);
  assert.doesNotMatch(shards, /Nothing scrapes it yet/);
  assert.match(notes('--set', 'podSecurityContext=null'), /user of the pod or one of its groups/);
});

// Flags of `serve`, as it tells them itself.
function flagsOfServe() {
  const {stdout} = spawnSync(exporter, ['serve', '--help'], {encoding: 'utf8'});
  const flags = [...stdout.matchAll(/^ {2}(?:-h,)?--([a-z.-]+)/gm)].map(m => m[1]);
  assert.ok(flags.length > 10, stdout);
  return flags.filter(flag => flag !== 'help');
}

test('EveryFlagMayBeSetInChartAndPackageAndIsInTheReadme', () => {
  const text = file => fs.readFileSync(path.join(sourceDir, file), 'utf8');
  const places = {
    chart: read('templates/_pod.tpl'),
    readme: text('README.md'),
    package: text('packaging/debian/default') + text('packaging/systemd/rlrun_exporter.service'),
  };
  for (const [place, words] of Object.entries(places)) {
    const missing = flagsOfServe().filter(
        flag => !new RegExp(`--${flag}(?![a-z.-])`).test(words));
    assert.deepEqual(missing, [], place);
  }
});

test('ValuesOfPagesAreArguments', () => {
  const docs = render('pages');
  const {args} = containerOf(docs);
  assert.deepEqual(args.filter(a => a.startsWith('--web.') && !a.includes('listen')), [
    '--web.telemetry-path=/lab/metrics', '--web.show-log-text=false',
    '--web.grafana-url=https://grafana.example.org/g',
    '--web.runbook-url=https://wiki.example.org/rlrun/', '--web.enable-lifecycle',
  ]);
  assert.equal(ofKind(docs, 'ServiceMonitor')[0].spec.endpoints[0].path, '/lab/metrics');
  assert.deepEqual(containerOf(render('default')).args.filter(a => a.startsWith('--web.')),
                   ['--web.listen-address=:10190']);
});

function checkConfig(text) {
  const dir = fs.mkdtempSync(path.join(buildDir, 'helm', 'config-'));
  try {
    const file = path.join(dir, 'config.yaml');
    fs.writeFileSync(file, text);
    return spawnSync(exporter, ['check-config', file], {encoding: 'utf8'});
  } finally {
    fs.rmSync(dir, {recursive: true});
  }
}

test('TheExporterTakesEveryRenderedConfiguration', async t => {
  for (const scenario of scenarios()) {
    for (const map of ofKind(render(scenario), 'ConfigMap')) {
      if (!map.data?.['config.yaml']) continue;
      await t.test(scenario, () => {
        const result = checkConfig(map.data['config.yaml']);
        assert.equal(result.status, 0, result.stderr);
      });
    }
  }
});

// config.example.yaml with its settings without a default, as the file says.
function exampleConfig() {
  const text = fs.readFileSync(path.join(sourceDir, 'config.example.yaml'), 'utf8');
  const config = yaml.load(text.replace(/^#(?=[^ \n]|  )/gm, ''));
  assert.ok(config.roots && config.runs && config.keys.templates);
  config.roots[0].path = '/data/runs';
  return config;
}

test('EverySettingOfTheExampleMayBeGiven', () => {
  const config = exampleConfig();
  const map = ofKind(render(null, {logs, config}), 'ConfigMap')[0];
  const text = map.data['config.yaml'];
  assert.deepEqual(yaml.load(text), config);
  const result = checkConfig(text);
  assert.equal(result.status, 0, result.stderr);
});
