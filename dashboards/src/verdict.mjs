// The head of every page of one run: what is held of it, and where it is.
import { coloured, NAME, now, rows, stat, table } from './panels.mjs';
import { code, of, perRun, run } from './query.mjs';
import { DECISION, HEALTH, LEVEL, mappings, STATE } from './states.mjs';

const word = (title, description, states) => stat({
  title,
  description,
  queries: [now(code(states), title.toLowerCase())],
  mappings: mappings(states),
  unit: 'none',
});

export const health = () => word('Health',
  'critical: a critical signature is active. at risk: a warning is active, or a ' +
  'check has failed for its number of steps.', HEALTH);

export const decision = () => word('Decision',
  'What the training quality speaks for; a recommendation to the reader. wait: ' +
  'something is to be looked at, the run is younger than 10 steps, or its source ' +
  'is stale: do not infer that training is bad because data is unreachable. ' +
  'n/a: the run has ended.', DECISION);

export const state = () => word('State',
  'failed: a crash, a silent death, or an end below the planned steps. lost: ' +
  'silent for 6 h and no process seen. stalled: the log has gone silent, the ' +
  'shape of a deadlock, not of a slow step.', STATE);

export const phase = () => stat({
  title: 'Phase',
  description: 'What the run is doing now, of the phases that it has shown. A ' +
    'phase that stays while no step comes is where it hangs.',
  queries: [now(`${run('rlrun_phase')} == 1`, '{{phase}}')],
  names: NAME,
  neutral: true,
  unit: 'none',
});

const LAST = run('rlrun_last_step', 'line="train"');

export const position = () => stat({
  title: 'Step',
  description: 'Newest training step, and the planned number of steps where the ' +
    'run states it.',
  queries: [now(LAST, 'step'), now(run('rlrun_total_steps'), 'of')],
  unit: 'none',
  decimals: 0,
  neutral: true,
});

export const pace = () => stat({
  title: 'Time per step',
  description: 'The newest step beside the run\'s own trailing median. One and a ' +
    'half times the median for three steps is step_slowdown: compare nodes and ' +
    'replicas before blaming the tasks.',
  queries: [
    now(run('rlrun_last_step_duration_seconds'), 'newest'),
    now(run('rlrun_baseline_step_duration_seconds'), 'median')],
  unit: 's',
  decimals: 1,
  neutral: true,
});

export const age = () => stat({
  title: 'Silent for',
  description: 'Time since the newest step line, and since anything was written ' +
    'to the log. A log that grows without steps is no_progress; one that is ' +
    'silent for 30 min or more is stall.',
  queries: [
    now(`time() - ${run('rlrun_last_step_timestamp_seconds')}`, 'step'),
    now(`time() - ${run('rlrun_log_modified_timestamp_seconds')}`, 'log')],
  unit: 's',
  decimals: 0,
  neutral: true,
});

export const left = () => stat({
  title: 'Left at this pace',
  description: 'Planned steps that are missing, times the run\'s own median step. ' +
    'n/a where the planned number is not stated.',
  queries: [now(`clamp_min(${run('rlrun_total_steps')} - ignoring (line) ${LAST}` +
    `, 0) * ${run('rlrun_baseline_step_duration_seconds')}`, 'left')],
  unit: 's',
  decimals: 0,
  neutral: true,
});

export const head = () =>
  [health(), decision(), state(), phase(), position(), pace(), age(), left()];

export const matched = (options = {}) => table({
  title: 'Matched signatures',
  description: 'Known failures whose evidence is in the data, the worst first; ' +
    'empty: no known signature matched. What each means and what to do next is ' +
    'on the Diagnosis dashboard.',
  queries: [
    rows(`${code(LEVEL, 'signature')} > 0`),
    rows(perRun(of('rlrun_signature_since_step'), 'signature')),
    rows(`${perRun(of('rlrun_signature_activations_total'), 'signature')} and ` +
      `on (project, run, signature) ${
        perRun(of('rlrun_signature_active'), 'signature')} == 1`),
  ],
  columns: [
    ['Value #A', 'Level', 90, coloured, ['mappings', mappings(LEVEL)]],
    ['signature', 'Signature', undefined, ...(options.links ?? [])],
    ['Value #B', 'Since step', 100, ['decimals', 0]],
    ['Value #C', 'Times', 80, ['decimals', 0]],
  ],
  hidden: ['project', 'run'],
  sort: [['Level', true], ['Since step', true]],
  noValue: 'no known signature matched',
  width: 12,
  height: 8,
  unit: 'none',
});

const FAILING = `${perRun(of('rlrun_check_failing_steps'), 'check')} > 0`;
const boundOf = (side) => rows(
  `${perRun(of('rlrun_check_threshold', `bound="${side}"`), 'check')} and ` +
  `on (project, run, check) ${FAILING}`);

export const failing = (options = {}) => table({
  title: 'Checks out of range',
  description: 'Values outside the healthy range, the longest first, with the ' +
    'bounds in force for this run. How many steps in a row make a check fail is ' +
    'said on the panel of its value.',
  queries: [
    rows(FAILING),
    boundOf('min'),
    boundOf('max'),
  ],
  columns: [
    ['check', 'Check', undefined],
    ['Value #A', 'Steps in a row', 110, ['decimals', 0],
      ['thresholds', { mode: 'absolute', steps: [
        { value: null, color: 'transparent' }, { value: 1, color: 'yellow' }] }],
      coloured],
    ['Value #B', 'Min', 90],
    ['Value #C', 'Max', 90],
  ],
  hidden: ['project', 'run'],
  sort: [['Steps in a row', true]],
  scenario: 'check-actor_lr',
  width: 12,
  height: 8,
  unit: 'none',
  ...options,
});
