// Panels of step keys.
import { curves, q } from './panels.mjs';
import { run, step } from './query.mjs';
import { unitOf } from './units.mjs';
import { roleKeys } from './vocabulary.mjs';

// Curves of step keys: { legend: key }. The unit is that of the first key. What
// another curve shows already, because trainers share a key, is left out.
export function keys(title, description, named, options = {}) {
  const shown = new Set();
  const queries = [];
  for (const [legend, key] of Object.entries(named)) {
    const all = roleKeys(key);
    if (all.some((each) => !shown.has(each))) queries.push(q(step(key), legend));
    all.forEach((each) => shown.add(each));
  }
  return curves({
    title,
    description,
    queries,
    unit: unitOf(Object.values(named)[0]),
    ...options,
  });
}

// The mean of a quantity inside the band from its min to its max.
export const spread = (title, description, prefix, options = {}) =>
  keys(title, description, {
    mean: `${prefix}/mean`, max: `${prefix}/max`, min: `${prefix}/min`,
  }, { band: true, ...options });

// The step of the newest training line and of the newest validation, for panels
// against the step.
export const trainStep = q(run('rlrun_last_step', 'line="train"'), 'step');
export const valStep = q(run('rlrun_last_step', 'line="val"'), 'step');

// Main scores of validations, of a family with the labels of `val_core`.
export const MAIN = 'statistic=~"mean@.*|"';
export const SCORES = '{{data_source}} {{variable}} {{statistic}}';
