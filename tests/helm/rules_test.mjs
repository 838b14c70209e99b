// Rules and dashboards that the chart brings: the very files, less what is
// disabled, and taken by promtool.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import yaml from 'js-yaml';
import {buildDir, ofKind, peersDir, render, sourceDir} from './support/helm.mjs';

const alertsDir = path.join(sourceDir, 'alerts');
const dashboardsDir = path.join(sourceDir, 'dashboards');
const files = (dir, end) => fs.existsSync(dir)
    ? fs.readdirSync(dir).filter(f => f.endsWith(end)).sort()
    : [];
const ruleFiles = files(alertsDir, '.rules.yaml');
const groupsOf = file =>
    yaml.load(fs.readFileSync(path.join(alertsDir, file), 'utf8')).groups;
const logs = [{hostPath: '/data/runs'}];
const rulesOf = docs => ofKind(docs, 'PrometheusRule')
    .flatMap(d => d.spec.groups).flatMap(g => g.rules);

function promtoolErrors(documents) {
  const dir = fs.mkdtempSync(path.join(buildDir, 'helm', 'rules-'));
  try {
    const paths = documents.map((d, i) => {
      const file = path.join(dir, `${i}.yaml`);
      fs.writeFileSync(file, yaml.dump(d.spec));
      return file;
    });
    const promtool = path.join(peersDir, 'usr/bin/promtool');
    const result =
        spawnSync(promtool, ['check', 'rules', ...paths], {encoding: 'utf8'});
    if (result.error) throw result.error;
    return result.status === 0 ? '' : result.stderr + result.stdout;
  } finally {
    fs.rmSync(dir, {recursive: true});
  }
}

test('TheRulesAreTheVeryFiles', () => {
  const docs = ofKind(render(null, {logs, prometheusRule: {enabled: true}}), 'PrometheusRule');
  assert.equal(docs.length, ruleFiles.length);
  for (const file of ruleFiles) {
    const name = `ci-rlrun-exporter-${file.replace('.rules.yaml', '')}`;
    const found = docs.find(d => d.metadata.name === name);
    assert.ok(found, name);
    assert.deepEqual(found.spec.groups, groupsOf(file));
  }
});

test('PromtoolTakesThem', () => {
  const docs = ofKind(render('monitoring'), 'PrometheusRule');
  assert.ok(docs.length > ruleFiles.length);
  assert.equal(promtoolErrors(docs), '');
});

test('PromtoolFindsABrokenOne', () => {
  const docs = structuredClone(ofKind(render('monitoring'), 'PrometheusRule'));
  docs[0].spec.groups[0].rules[0].expr += ' and (';
  assert.notEqual(promtoolErrors(docs), '');
});

test('OnlyTheDisabledAlertsAreLeftOut', () => {
  const disabled = ['RLRunPlateau', 'RLRunFinished'];
  const all = ruleFiles.flatMap(groupsOf).flatMap(g => g.rules);
  const left = all.filter(r => !disabled.includes(r.alert));
  assert.ok(left.length < all.length);
  const docs = render(null, {logs, prometheusRule: {enabled: true, disabled}});
  const key = rule => JSON.stringify(rule, Object.keys(rule).sort());
  assert.deepEqual(rulesOf(docs).map(key).sort(), left.map(key).sort());
});

test('AGroupWithoutARuleIsNone', () => {
  const group = groupsOf('runs.rules.yaml');
  const names = group.flatMap(g => g.rules).filter(r => r.alert).map(r => r.alert);
  const docs = render(null, {logs, prometheusRule: {enabled: true, disabled: names}});
  for (const d of ofKind(docs, 'PrometheusRule')) {
    for (const g of d.spec.groups) assert.ok(g.rules.length > 0, d.metadata.name);
  }
  assert.equal(promtoolErrors(ofKind(docs, 'PrometheusRule')), '');
});

test('RunbooksAreWhereTheyAreSaidToBe', () => {
  const alerts = rulesOf(render('monitoring'))
      .filter(r => r.alert && r.alert !== 'RLRunLabRewardLow');
  assert.ok(alerts.length > 40);
  for (const {annotations} of alerts) {
    assert.match(annotations.runbook_url, /^https:\/\/wiki\.example\.org\/rlrun\/RLRun\w+\.md$/);
  }
});

test('ExtraRulesKeepTheirTemplates', () => {
  const extra = rulesOf(render('monitoring')).find(r => r.alert === 'RLRunLabRewardLow');
  assert.equal(extra.annotations.summary, '{{ $labels.run }}: reward of {{ $value | humanize }}');
});

test('TheJobOfTheMonitorIsThatOfTheRules', () => {
  const matchers = rulesOf(render('monitoring'))
      .flatMap(r => [...String(r.expr).matchAll(/job=~"([^"]+)"/g)].map(m => m[1]));
  assert.ok(matchers.length > 0);
  for (const matcher of matchers) {
    assert.match('rlrun-exporter', new RegExp(`^(?:${matcher})$`));
  }
});

test('TheDashboardsAreTheVeryFiles', () => {
  const maps = ofKind(render('monitoring'), 'ConfigMap')
      .filter(d => d.metadata.labels.grafana_dashboard);
  const found = new Map(maps.flatMap(d => Object.entries(d.data)));
  const expected = files(dashboardsDir, '.json');
  assert.deepEqual([...found.keys()].sort(), expected);
  for (const file of expected) {
    assert.equal(found.get(file),
                 fs.readFileSync(path.join(dashboardsDir, file), 'utf8'), file);
  }
  for (const map of maps) {
    assert.equal(map.metadata.labels.grafana_dashboard, '1');
    assert.equal(map.metadata.annotations.grafana_folder, 'Training');
    assert.equal(map.metadata.namespace, 'monitoring');
    // What `kubectl apply` keeps as an annotation may not be larger.
    assert.ok(JSON.stringify(map).length < 262144, map.metadata.name);
  }
});

test('NoRuleFileIsTooLargeForKubectl', () => {
  for (const d of ofKind(render('monitoring'), 'PrometheusRule')) {
    assert.ok(JSON.stringify(d).length < 262144, d.metadata.name);
  }
});
