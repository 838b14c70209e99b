// PromQL of the dashboards. Several exporters may see one run: what is said of a
// run is the maximum over them, so that nothing is shown twice.
import { family, rawFamily, roleKeys } from './vocabulary.mjs';
import { LIVE_STATES } from './states.mjs';

// Labels of a target, those that the rules of alerts/ leave out as well.
export const TARGET_LABELS =
  'instance, pod, container, endpoint, node, service, job';

export const RUN = 'project=~"$project", run=~"$run"';
export const EXPORTER = 'job=~"$job", instance=~"$instance"';

const join = (...parts) => parts.filter(Boolean).join(', ');

// A selector of a family of the catalogue.
export function of(name, matchers = '', scope = RUN) {
  family(name);
  return `${name}{${join(scope, matchers)}}`;
}

export const one = (expr) => `max without (${TARGET_LABELS}) (${expr})`;
export const perRun = (expr, more = '') =>
  `max by (${join('project, run', more)}) (${expr})`;

// Every step key that some panel shows, for the tests.
export const shownKeys = new Set();

// A selector of what a step line prints under a key, whatever trainer it is.
export function key(name, scope = RUN) {
  const keys = roleKeys(name);
  keys.forEach((each) => shownKeys.add(each));
  const names = keys.map(rawFamily);
  if (names.length === 1) return `${names[0]}{${scope}}`;
  return `{__name__=~"${names.join('|')}", ${scope}}`;
}

// A selector of step keys that a template turns into labels.
export const template = (name, matchers = '') =>
  `rlrun_step_${name}{${join(RUN, matchers)}}`;

export const step = (name) => one(key(name));
export const run = (name, matchers = '') => one(of(name, matchers));

// One number per run of a family with a series per state.
export function code(states, by = '', matchers = '') {
  const parts = Object.entries(states.values).map(([name, [value]]) => {
    const selector =
      of(states.family, join(`${states.label}="${name}"`, matchers));
    return value === 1 ? selector : `${value} * ${selector}`;
  });
  return perRun(parts.join(' or '), by);
}

// Of runs that have not ended.
export const live = (expr) =>
  `${expr} and on (project, run) ` +
  `${perRun(of('rlrun_state', `state=~"${LIVE_STATES}"`))} == 1`;

export const bound = (check) => of('rlrun_check_threshold', `check="${check}"`);
