// Whoever starts at Fleet finds each signature, and the value of each row of
// the health table, at most two clicks away.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { rawFamily, roleKeys } from '../../dashboards/src/vocabulary.mjs';
import { read } from './promql.mjs';
import { expressions, freshVocabulary, load, text } from './shipped.mjs';

const START = 'rlrun-fleet';
const CLICKS = 2;
const all = new Map(load().map((dashboard) => [dashboard.uid, dashboard]));
const vocabulary = freshVocabulary();

const linked = (dashboard) =>
  (text(`${dashboard.uid}.json`).match(/\/d\/rlrun-[a-z]+/g) ?? [])
    .map((url) => url.slice('/d/'.length));

// uid -> clicks from the start.
function distances() {
  const out = new Map([[START, 0]]);
  for (const [uid, clicks] of out) {
    for (const next of linked(all.get(uid))) {
      if (!out.has(next)) out.set(next, clicks + 1);
    }
  }
  return out;
}

const near = [...distances()].filter(([, clicks]) => clicks <= CLICKS)
  .map(([uid]) => all.get(uid));
const selectors = near.flatMap((dashboard) => expressions(dashboard)
  .filter(({ panel }) => panel)
  .flatMap(({ expr, panel }) =>
    read(expr).selectors.map((each) => ({ ...each, panel }))));

// Panels that select a family with a label that names `value` in so many words.
const naming = (family, label, value) => selectors.filter(({ names, matchers }) =>
  names.includes(family) && matchers.some((matcher) => matcher.label === label &&
    matcher.value.split('|').includes(value)));

test('EveryDashboardIsNear', () => {
  assert.deepEqual([...distances().keys()].sort(), [...all.keys()].sort());
});

test('EverySignatureIsNear', () => {
  assert(vocabulary.signatures.length > 30);
  for (const { name } of vocabulary.signatures) {
    const found = naming('rlrun_signature_active', 'signature', name);
    assert(found.some(({ panel }) => panel.type === 'state-timeline'), name);
  }
});

test('EveryCheckIsNear', () => {
  assert(vocabulary.checks.length > 15);
  for (const { name } of vocabulary.checks) {
    const found = naming('rlrun_check_failing_steps', 'check', name);
    assert(found.some(({ panel }) => panel.type === 'state-timeline'), name);
  }
});

// The value itself, beside its bound where it has one.
test('EveryValueOfTheHealthTableIsNear', () => {
  const shares = { env_setup_failed: 'env_setup_failed', timeout_share: 'timeout' };
  const withoutBound = ['reward_nonzero', 'val_nonzero', 'pg_clipfrac_absent'];
  for (const { name, key } of vocabulary.checks) {
    const families = name === 'val_nonzero' ? ['rlrun_step_val_core']
      : name === 'reward_nonzero' ? ['rlrun_step_critic_score_mean']
        : name in shares ? ['rlrun_step_trajectory_filter_reason']
          : roleKeys(key).map(rawFamily);
    const panels = selectors.filter(({ names, matchers }) =>
      families.every((family) => names.includes(family)) &&
      (!(name in shares) || matchers.some(({ value }) => value === shares[name])));
    assert(panels.length > 0, name);
    if (withoutBound.includes(name)) continue;
    const bounds = naming('rlrun_check_threshold', 'check', name);
    assert(bounds.some(({ panel }) =>
      panels.some((each) => each.panel === panel)), `${name}: its bound`);
  }
});

// A panel that draws the bound of a check says in its description what a value
// outside it means, in the words of the report.
test('BoundsAreExplained', () => {
  let seen = 0;
  for (const { name, means } of vocabulary.checks) {
    for (const { panel } of naming('rlrun_check_threshold', 'check', name)) {
      assert(panel.description.includes(means), `${panel.title}: ${name}`);
      ++seen;
    }
  }
  assert(seen > 10);
});

test('EverySignatureIsExplained', () => {
  const shown = near.flatMap((dashboard) => dashboard.panels)
    .flatMap((panel) => [panel, ...(panel.panels ?? [])])
    .filter(({ type }) => type === 'text').map(({ options }) => options.content).join();
  for (const { name, means, next } of [...vocabulary.signatures,
    ...vocabulary.checks]) {
    assert(shown.includes(name), name);
    assert(shown.includes(means), `${name}: ${means}`);
    if (next) assert(shown.includes(next), `${name}: ${next}`);
  }
});
