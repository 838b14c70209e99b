// What dashboards may speak of. vocabulary.json is printed by the exporter's own
// tables (tests/dashboards/vocabulary.cc); a name that is not there ends the
// build, so that no panel outlives its metric.
import { readFileSync } from 'node:fs';

export const vocabulary = JSON.parse(
  readFileSync(new URL('./vocabulary.json', import.meta.url), 'utf8'));

const families = new Map();
for (const row of vocabulary.families) {
  families.set(row.name, row);
  if (row.type !== 'histogram') continue;
  for (const suffix of ['_bucket', '_sum', '_count']) {
    families.set(row.name + suffix, row);
  }
}

// The row of a family; of a histogram also by the names of its samples.
export function family(name) {
  const row = families.get(name);
  if (!row) throw new Error(`no such family: ${name}`);
  return row;
}

export const signatures = vocabulary.signatures;
export const checks = vocabulary.checks;

export function signature(name) {
  const found = signatures.find((row) => row.name === name);
  if (!found) throw new Error(`no such signature: ${name}`);
  return found;
}

export function check(name) {
  const found = checks.find((row) => row.name === name);
  if (!found) throw new Error(`no such check: ${name}`);
  return found;
}

// The family of a step key that no template takes.
export const rawFamily = (key) =>
  'rlrun_step_' + key.replace(/[^a-zA-Z0-9_]/gu, '_');

// All keys under which trainers print what verl prints as `key`: its row of the
// table of roles, else the key alone.
export function roleKeys(key) {
  const row = vocabulary.roles.find(({ verl }) => verl.includes(key));
  return row ? [...new Set(Object.values(row).flat())] : [key];
}
