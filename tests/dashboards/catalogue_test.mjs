// Every metric and label that a dashboard names is one that the exporter
// publishes today: its catalogue is asked, not the copy beside the builders.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { TARGET_LABELS } from '../../dashboards/src/query.mjs';
import { TEMPLATE_UNITS } from '../../dashboards/src/units.mjs';
import { rawFamily } from '../../dashboards/src/vocabulary.mjs';
import { read } from './promql.mjs';
import { expressions, freshVocabulary, load, nameOf, ROOT, shown } from './shipped.mjs';

// Labels that Prometheus adds to what it scrapes.
const OF_TARGET = ['instance', 'job'];
// Series that Prometheus makes itself.
const OF_PROMETHEUS = {
  up: [],
  scrape_duration_seconds: [],
  scrape_samples_scraped: [],
  ALERTS: ['alertname', 'alertstate', 'severity', 'project', 'run'],
};
// Families of a template, which no fixed key leads to.
const TEMPLATE_LABELS = {
  timing_s: ['phase'],
  timing_per_token_ms: ['phase'],
  timing_s_agent_loop: ['stage', 'statistic'],
  trajectory_filter_reason: ['reason'],
  val_core: ['data_source', 'variable', 'statistic'],
  val_aux: ['data_source', 'variable', 'statistic'],
  val_test_score: ['data_source'],
};

const vocabulary = freshVocabulary();

function knownFamilies() {
  const known = new Map(Object.entries(OF_PROMETHEUS));
  for (const { name, type, labels, scope } of vocabulary.families) {
    const all = labels ? labels.split(',') : [];
    if (scope === 'run') all.push('project', 'run');
    known.set(name, all);
    if (type !== 'histogram') continue;
    known.set(`${name}_sum`, all);
    known.set(`${name}_count`, all);
    known.set(`${name}_bucket`, [...all, 'le']);
  }
  for (const { family, labels } of Object.values(vocabulary.keys)) {
    known.set(family, ['project', 'run', 'key', ...Object.keys(labels)]);
  }
  for (const [name, labels] of Object.entries(TEMPLATE_LABELS)) {
    known.set(`rlrun_step_${name}`, ['project', 'run', 'key', ...labels]);
  }
  return known;
}

const known = knownFamilies();
const isVariable = (name) => name.startsWith('$');
const isPattern = (name) => name.endsWith('.*');

// Labels that the series of an expression can have.
function labelsOf(expr, where) {
  const all = new Set(OF_TARGET);
  for (const [, made] of expr.matchAll(/label_join\(.*?, "(\w+)"/g)) all.add(made);
  for (const { names, matchers } of read(expr).selectors) {
    for (const name of names) {
      if (isVariable(name) || isPattern(name)) {
        ['project', 'run'].forEach((label) => all.add(label));
        continue;
      }
      const labels = known.get(name);
      assert(labels, `${where}: ${name} is in no catalogue`);
      labels.forEach((label) => all.add(label));
      for (const { label } of matchers) {
        assert([...labels, ...OF_TARGET].includes(label),
          `${where}: ${name} has no label ${label}`);
      }
    }
  }
  return all;
}

test('MetricsAndLabelsExist', () => {
  let seen = 0;
  for (const dashboard of load()) {
    for (const { where, expr, label, target } of expressions(dashboard)) {
      const labels = labelsOf(expr, where);
      if (label && label !== '__name__') {
        assert(labels.has(label), `${where}: no label ${label}`);
      }
      for (const grouping of read(expr).groupings) {
        if (grouping.labels.join(', ') === TARGET_LABELS) continue;
        for (const each of grouping.labels) {
          assert(labels.has(each), `${where}: nothing has the label ${each}`);
        }
      }
      for (const [, each] of (target?.legendFormat ?? '')
        .matchAll(/\{\{([^}]*)\}\}/g)) {
        assert(labels.has(each), `${where}: no label ${each} for its legend`);
      }
      ++seen;
    }
  }
  assert(seen > 200, `${seen} expressions`);
});

test('AnnotationsNameLabelsThatExist', () => {
  for (const dashboard of load()) {
    for (const { where, expr, annotation } of expressions(dashboard)) {
      if (!annotation) continue;
      const labels = labelsOf(expr, where);
      for (const format of [annotation.titleFormat, annotation.textFormat]) {
        for (const [, each] of format.matchAll(/\{\{([^}]*)\}\}/g)) {
          assert(labels.has(each), `${where}: ${each}`);
        }
      }
    }
  }
});

// Fields of a table are labels, or values of a query.
test('ColumnsOfTablesExist', () => {
  for (const dashboard of load()) {
    for (const panel of shown(dashboard)) {
      const organize = panel.transformations?.find(({ id }) => id === 'organize');
      if (!organize) continue;
      const fields = new Set(['Time', 'Value']);
      for (const { refId, expr } of panel.targets) {
        fields.add(`Value #${refId}`);
        labelsOf(expr, nameOf(dashboard, panel))
          .forEach((label) => fields.add(label));
      }
      const { renameByName, excludeByName } = organize.options;
      for (const field of [...Object.keys(renameByName),
        ...Object.keys(excludeByName)]) {
        assert(fields.has(field), `${nameOf(dashboard, panel)}: ${field}`);
      }
      // A single query's value has no letter.
      if (panel.targets.length === 1) {
        assert(!('Value #A' in renameByName), nameOf(dashboard, panel));
      }
      const titles = new Set(Object.values(renameByName));
      for (const { displayName } of panel.options.sortBy ?? []) {
        assert(titles.has(displayName), `${nameOf(dashboard, panel)}: ${displayName}`);
      }
      for (const { matcher } of panel.fieldConfig.overrides) {
        assert(titles.has(matcher.options), `${nameOf(dashboard, panel)}: ${
          matcher.options}`);
      }
    }
  }
});

test('TemplatesAreThoseOfTheExporter', () => {
  assert.deepEqual(Object.keys(TEMPLATE_UNITS).sort(),
    Object.keys(TEMPLATE_LABELS).sort());
  const probes = {
    'timing_s/gen': 'timing_s',
    'timing_per_token_ms/gen': 'timing_per_token_ms',
    'timing_s/agent_loop/harbor_total/mean': 'timing_s_agent_loop',
    'trajectory_filter/reason/timeout': 'trajectory_filter_reason',
    'val-core/lab/sums/acc/mean@8': 'val_core',
    'val-aux/lab/sums/acc/std@8': 'val_aux',
    'val/test_score/lab': 'val_test_score',
  };
  const mapped = freshVocabulary(undefined, Object.keys(probes)).keys;
  for (const [key, name] of Object.entries(probes)) {
    assert.equal(mapped[key].family, `rlrun_step_${name}`);
    assert.deepEqual(Object.keys(mapped[key].labels).sort(),
      [...TEMPLATE_LABELS[name]].sort());
  }
});

// The rules of alerts/ leave out the same labels of a target.
test('TargetLabelsAreThoseOfTheAlerts', () => {
  const rules = readFileSync(`${ROOT}/alerts/recording.rules.yaml`, 'utf8');
  assert(rules.includes(`max without (${TARGET_LABELS}) (rlrun_state)`));
});

test('EveryStateIsShown', async () => {
  const states = await import('../../dashboards/src/states.mjs');
  for (const { family, label, values } of
    [states.HEALTH, states.DECISION, states.STATE]) {
    const row = vocabulary.families.find(({ name }) => name === family);
    assert(row.labels.split(',').includes(label));
    for (const name of Object.keys(values)) {
      assert(row.help.includes(name), `${family}: ${name}`);
    }
  }
});

test('EveryTargetOfAPanelReadsSomething', () => {
  for (const dashboard of load()) {
    for (const { where, expr } of expressions(dashboard)) {
      assert(read(expr).selectors.length > 0, where);
    }
  }
});

// A panel that shows what verl prints shows what any trainer prints for the
// same: all keys of its row in the table of roles.
test('PanelsSelectEveryKeyOfARole', () => {
  const selections = load().flatMap(expressions)
    .flatMap(({ expr }) => read(expr).selectors).map((each) => new Set(each.names));
  let several = 0;
  for (const row of vocabulary.roles) {
    const [first, ...others] = Object.values(row).flat().map(rawFamily);
    for (const selected of selections.filter((each) => each.has(first))) {
      assert(others.every((name) => selected.has(name)),
        `${[...selected]}: not all of ${others}`);
      several += others.length > 0 ? 1 : 0;
    }
  }
  assert(several > 3);
});
