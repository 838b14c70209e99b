// What a panel shows is in the unit of what it reads: that of the family's row,
// or of the step key, through what the expression does to it.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TEMPLATE_UNITS, unitOf } from '../../dashboards/src/units.mjs';
import { rawFamily } from '../../dashboards/src/vocabulary.mjs';
import { read } from './promql.mjs';
import { expressions, freshVocabulary, keys, load } from './shipped.mjs';

const PLAIN = ['none', 'short', 'sci'];
const vocabulary = freshVocabulary();

// Of which kind the values of a family are, as units that may show it.
function kinds() {
  const out = new Map();
  for (const { name, unit } of vocabulary.families) {
    let units = { seconds: ['s'], bytes: ['bytes'], ratio: ['percentunit'] }[unit] ??
      PLAIN;
    if (/_bytes(_|$)/.test(name)) units = ['bytes'];
    if (name.endsWith('_tokens_per_second')) units = ['suffix: tok/s'];
    if (/_timestamp_seconds$|_start_time_seconds$/.test(name)) units = ['time'];
    out.set(name, units);
    out.set(`${name}_bucket`, units);
    out.set(`${name}_sum`, units);
    out.set(`${name}_count`, PLAIN);
  }
  for (const key of keys()) {
    const unit = unitOf(key);
    out.set(rawFamily(key), unit === 'none' ? [...PLAIN] : [unit]);
  }
  for (const [name, unit] of Object.entries(TEMPLATE_UNITS)) {
    out.set(`rlrun_step_${name}`, unit === 'none' ? PLAIN : [unit]);
  }
  out.set('scrape_duration_seconds', ['s']);
  return out;
}

const known = kinds();
const of = (selector) => known.get(selector.names[0]) ?? PLAIN;
const same = (a, b) => a.some((unit) => b.includes(unit));

// Units in which the values of an expression may be shown.
function allowed(expr) {
  const { selectors } = read(expr);
  const [first] = selectors;
  const last = selectors.at(-1);
  const units = of(first);
  // Some statistics of the agent loop are counts among its seconds.
  if (first.matchers.some(({ label, op, value }) =>
    label === 'stage' && op === '=~' && value.startsWith('num_preempted'))) {
    return PLAIN;
  }
  if (/^\(?count( by \([a-z_, ]*\))? \(|^count\(/.test(expr)) return PLAIN;
  if (expr.includes(' / ')) {
    if (expr.startsWith('(time() - ')) return PLAIN;
    if (same(units, of(last))) return ['percentunit', 'none'];
    return /_count\{/.test(expr) || units !== PLAIN ? units : ['percentunit', 'none'];
  }
  if (/^time\(\) - /.test(expr)) {
    assert(units.includes('time'), expr);
    return ['s'];
  }
  if (expr.startsWith('1000 * ')) {
    assert(units.includes('time'), expr);
    return ['dateTimeFromNow'];
  }
  if (/ \* max without[^*]*$/.test(expr)) return of(last);
  if (first.calls.includes('rate') && !expr.startsWith('histogram_quantile')) {
    if (units.includes('bytes')) return ['Bps'];
    if (units.includes('s')) return ['none', 'percentunit'];
    return /_tokens_/.test(expr) ? ['suffix: tok/s']
      : ['suffix: lines/s', 'suffix: values/s'];
  }
  return units;
}

const isBound = ({ legendFormat }) => legendFormat?.startsWith('bound');

function unitShown(panel, target) {
  const organize = panel.transformations?.find(({ id }) => id === 'organize');
  const value = panel.targets.length > 1 ? `Value #${target.refId}` : 'Value';
  const field = organize?.options.renameByName[value] ?? target.legendFormat;
  const override = panel.fieldConfig.overrides
    .find(({ matcher }) => matcher.id === 'byName' && matcher.options === field);
  return override?.properties.find(({ id }) => id === 'unit')?.value ??
    panel.fieldConfig.defaults.unit;
}

test('UnitsAreThoseOfTheFamilies', () => {
  let seen = 0;
  for (const dashboard of load()) {
    for (const { where, expr, panel, target } of expressions(dashboard)) {
      if (!target || isBound(target)) continue;
      const units = allowed(expr);
      const shown = unitShown(panel, target);
      assert(units.includes(shown), `${where}: ${shown}, not ${units}: ${expr}`);
      ++seen;
    }
  }
  assert(seen > 200);
});

// Nothing beside numbers of another kind.
test('OnePanelShowsOneKind', () => {
  for (const dashboard of load()) {
    for (const { where, expr, panel, target } of expressions(dashboard)) {
      if (!target || !isBound(target)) continue;
      const check = /check="([a-z_]+)"/.exec(expr)[1];
      const beside = panel.targets.filter((each) => !isBound(each));
      assert(beside.length > 0, where);
      // Bounds are in the unit of the value that their check looks at.
      const { key } = vocabulary.checks.find(({ name }) => name === check);
      if (!key) continue;
      assert(beside.some((each) => each.expr.includes(rawFamily(key))), where);
    }
  }
});

test('WrongUnitIsSeen', () => {
  const age = 'time() - max by (run) (rlrun_last_step_timestamp_seconds{})';
  assert.deepEqual(allowed(age), ['s']);
  assert(!allowed('rlrun_step_perf_time_per_step{}').includes('none'));
  assert.deepEqual(allowed('rate(rlrun_exporter_log_bytes_read_total{}[5m])'), ['Bps']);
});
