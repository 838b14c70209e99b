// Every query of every panel, variable and annotation has data in a real
// Prometheus that scraped the runs of the scenario generator.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { filledBy } from '../../dashboards/src/board.mjs';
import { EVERY_KEY, Lab, RECORD } from './lab.mjs';
import { read } from './promql.mjs';
import { expressions, keys, load, nameOf, shown } from './shipped.mjs';

// One of each usual kind; a panel that none of them fills names its scenario.
const USUAL = ['healthy', 'healthy-async', 'healthy-sao', 'healthy-sft',
  'kl_blowup'];
const MANY = ['rlrun-fleet', 'rlrun-compare', 'rlrun-exporter'];
const LAB = 'lab';

// Of templates that no scenario prints.
const MORE_KEYS = ['val/test_score/lab'];

// Nothing but processes on a GPU fill it.
const NEEDS_A_GPU = ['rlrun_process_gpus'];

const all = load();
const projects = new Map([[EVERY_KEY, '']]);  // of runs that are not of LAB
let lab;

before(async () => {
  lab = await Lab.open([...keys(), ...MORE_KEYS]);
  const runs = await lab.instant('rlrun_trials_scan_complete');
  runs.forEach(({ metric }) => projects.set(metric.run, metric.project));
  withTrials = runs.map(({ metric }) => metric.run);
});
after(() => lab?.close());

// Runs that a page of one run is tried with, in order. `tree`: those with trials.
let withTrials = [];
const tried = (where) => [...USUAL, ...(filledBy.get(where) ?? [])]
  .flatMap((scenario) => ({ tree: withTrials, record: [RECORD] }[scenario] ??
    [scenario]));

function fill(expr, values) {
  const all = {
    project: '.*',
    job: '.+',
    instance: '.+',
    split: '.*',
    stage: 'total',
    __rate_interval: '10s',
    __range: `${Math.ceil(lab.end - lab.begin)}s`,
    ...values,
  };
  const filled = expr.replace(/\$(\w+)/g, (whole, name) => all[name] ?? whole);
  assert(!filled.includes('$'), filled);
  return filled;
}

const oneRun = (run) => ({ run, project: projects.get(run) ?? LAB });

// The series of a target when all has been written.
const series = ({ expr }, values) => lab.instant(fill(expr, values));

const hasNumbers = (found) => found.some(({ value, values = [value] }) =>
  values.some(([, number]) => number !== 'NaN'));

// A rate may be NaN at the end, where nothing came any more.
async function hasData(target, values) {
  if (hasNumbers(await series(target, values))) return true;
  return !target.instant &&
    hasNumbers(await lab.range(fill(target.expr, values)));
}

function valuesOf(dashboard, panel) {
  if (!MANY.includes(dashboard.uid)) return {};
  const values = { run: '.+' };
  if (panel.repeat) values.metric = metrics(dashboard)[0];
  return values;
}

const metrics = (dashboard) => dashboard.templating.list
  .find(({ name }) => name === 'metric').current.value;

const excluded = ({ expr }) => read(expr).selectors.every(({ names }) =>
  names.every((name) => NEEDS_A_GPU.includes(name)));

// Whether a target has data; on the page of one run with the first run that has.
async function filled(dashboard, panel, target) {
  if (MANY.includes(dashboard.uid)) {
    return hasData(target, valuesOf(dashboard, panel));
  }
  for (const run of tried(nameOf(dashboard, panel))) {
    if (await hasData(target, oneRun(run))) return true;
  }
  return false;
}

// For the message of a failure: which runs would fill it.
async function whoFills(target) {
  if (!target.expr.includes('$run')) return [];
  const found = await lab.range(fill(target.expr, { run: '.+' }));
  const runs = await lab.labelValues('rlrun_info', 'run');
  const named = new Set(found.map(({ metric }) => metric.run).filter(Boolean));
  return [...named].filter((run) => runs.includes(run)).slice(0, 5);
}

test('EveryTargetOfEveryPanelHasData', async () => {
  const missing = [];
  let seen = 0;
  for (const dashboard of all) {
    for (const panel of shown(dashboard)) {
      for (const target of panel.targets ?? []) {
        ++seen;
        if (excluded(target)) continue;
        if (await filled(dashboard, panel, target)) continue;
        missing.push(`${nameOf(dashboard, panel)} / ${target.refId}: ${
          target.expr.slice(0, 160)} <- ${await whoFills(target)}`);
      }
    }
  }
  assert.equal(missing.join('\n'), '');
  assert(seen > 250);
});

test('EveryMetricToCompareHasData', async () => {
  const dashboard = all.find(({ uid }) => uid === 'rlrun-compare');
  const panel = shown(dashboard).find(({ repeat }) => repeat === 'metric');
  for (const metric of metrics(dashboard)) {
    for (const target of panel.targets) {
      assert(await hasData(target, { run: '.+', metric }), metric);
    }
  }
});

// Each name that an expression allows, not only one of them.
test('EveryMetricThatIsNamedHasData', async () => {
  const names = new Set(all.flatMap(expressions)
    .flatMap(({ expr }) => read(expr).selectors).flatMap((each) => each.names)
    .filter((name) => !/[$*]/.test(name) && !NEEDS_A_GPU.includes(name)));
  assert(names.size > 150);
  const known = new Set(await lab.labelValues('{job=~".*", __name__!=""}',
    '__name__'));
  known.add('ALERTS');
  assert.deepEqual([...names].filter((name) => !known.has(name)), []);
});

test('EveryVariableHasValues', async () => {
  for (const dashboard of all) {
    for (const { where, expr, label, variable } of expressions(dashboard)) {
      if (!variable) continue;
      const values = await lab.labelValues(fill(expr, { run: '.+' }), label);
      const pattern = variable.regex && new RegExp(variable.regex.slice(1, -1));
      const left = values.filter((value) => !pattern || pattern.test(value));
      assert(left.length > 0, where);
      if (label === 'run') assert(left.includes('healthy-async'), where);
    }
  }
});

test('EveryAnnotationHappens', async () => {
  for (const dashboard of all) {
    for (const { where, expr, annotation } of expressions(dashboard)) {
      if (!annotation) continue;
      const found = await lab.range(fill(expr, { run: '.+' }));
      assert(found.length > 0, where);
    }
  }
});

// Phases are stacked without counting any time twice.
test('StackedPhasesFillTheStepAndNoMore', async () => {
  const panel = shown(all.find(({ uid }) => uid === 'rlrun-run'))
    .find(({ title }) => title === 'Time of a step by phase');
  const sum = async (target, values) => (await series(target, values))
    .reduce((total, { value }) => total + Number(value[1]), 0);
  for (const run of USUAL.filter((name) => name !== 'healthy-sft')) {
    const [phases, whole, sync] = await Promise.all(
      panel.targets.map((target) => sum(target, oneRun(run))));
    const share = (phases + sync) / whole;
    assert(share > 0.8 && share < 1.02, `${run}: ${share}`);
  }
});

const legendOf = ({ legendFormat }, metric) =>
  legendFormat && legendFormat !== '__auto'
    ? legendFormat.replace(/\{\{([^}]*)\}\}/g, (_, label) => metric[label] ?? '')
    : JSON.stringify(metric);

// Two exporters see each run; nothing may be there twice.
test('LegendsAreUnique', async () => {
  let seen = 0;
  for (const dashboard of all) {
    for (const panel of shown(dashboard)) {
      if (!panel.targets || panel.type === 'table') continue;
      const single = !MANY.includes(dashboard.uid);
      const runs = single ? tried(nameOf(dashboard, panel)) : [''];
      for (const run of runs) {
        const values = single ? oneRun(run) : valuesOf(dashboard, panel);
        const legends = [];
        for (const target of panel.targets) {
          if (target.format === 'table') continue;
          for (const { metric } of await series(target, values)) {
            legends.push(legendOf(target, metric));
          }
        }
        const twice = legends.filter((each, at) => legends.indexOf(each) !== at);
        assert.deepEqual(twice, [], `${nameOf(dashboard, panel)} of ${run}`);
        seen += legends.length;
      }
    }
  }
  assert(seen > 500);
});

// What tables are merged by is the same in all their queries: a row per run.
test('RowsOfTablesAreUnique', async () => {
  for (const dashboard of all) {
    for (const panel of shown(dashboard)) {
      if (panel.type !== 'table') continue;
      const values = MANY.includes(dashboard.uid) ? { run: '.+' }
        : { run: 'kl_blowup', project: LAB };
      const hidden = ['signature', 'framework', 'mode'];
      for (const target of panel.targets) {
        const rows = (await series(target, values)).map(({ metric }) => {
          const key = { ...metric };
          if (panel.title.startsWith('Runs')) hidden.forEach((name) => delete key[name]);
          return JSON.stringify(key);
        });
        assert.equal(new Set(rows).size, rows.length,
          `${nameOf(dashboard, panel)} / ${target.refId}`);
      }
    }
  }
});
