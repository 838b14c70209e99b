// One run: every signature and check over time, and what they rest on.
import { board, row, runEvents, runVariables } from './board.mjs';
import {
  bars, coloured, curves, now, q, rows, table, text, timeline,
} from './panels.mjs';
import { code, of, perRun, run } from './query.mjs';
import { CHECK, LEVEL, mappings } from './states.mjs';
import { checks, signatures } from './vocabulary.mjs';
import { failing, head } from './verdict.mjs';

const GROUPS = [
  ['event', 'Ends and crashes', 'How the run ended, by what its log or its ' +
    'process tells.'],
  ['time', 'Silence and progress', 'Rules of time: how long nothing came.'],
  ['record', 'Run records', 'What the record of the run says, beside its log.'],
  ['failure', 'Failures of agentic RL runs', 'Known failures with evidence of ' +
    'their own.'],
  ['quality', 'Training quality', 'Signals that any trainer shows.'],
];

const inGroup = (group) => signatures.filter((row) => row.group === group);
const either = (names) => names.join('|');

const timelines = GROUPS.filter(([group]) => inGroup(group).length > 0)
  .map(([group, title, description]) => {
    const names = inGroup(group).map((each) => each.name);
    return timeline({
      title,
      description: `${description} A row per signature that applies to this run: ` +
        'its level while it is matched, nothing while it is not; no row: its ' +
        'inputs are missing. The text below says what each means and what to do.',
      queries: [q(code(LEVEL, 'signature', `signature=~"${either(names)}"`),
        '{{signature}}')],
      mappings: mappings(LEVEL),
      ...(group === 'record' ? { scenario: 'record' } : {}),
      width: 24,
      height: 3 + Math.ceil(names.length * 0.8),
      legend: false,
    });
  });

// 0 in range, 1 out of range, 2 for as many steps as make the check fail.
function checkCode() {
  const of_ = (names) =>
    perRun(of('rlrun_check_failing_steps', `check=~"${either(names)}"`), 'check');
  const byLimit = new Map();
  for (const { name, alert_after: limit } of checks) {
    byLimit.set(limit, [...(byLimit.get(limit) ?? []), name]);
  }
  const failed = [...byLimit].sort(([a], [b]) => a - b)
    .map(([limit, names]) => `(${of_(names)} >= bool ${limit})`).join(' or ');
  return `clamp_max(${of_(checks.map((row) => row.name))}, 1) + (${failed})`;
}

const checkTimeline = timeline({
  title: 'Checks',
  description: 'A row per check that applies. out of range: fewer steps in a row ' +
    'than make it fail; failed: as many, with the shipped numbers (a ' +
    'configuration may have others). ' +
    checks.map(({ name, alert_after: limit }) => `${name} ${limit}`).join(', ') + '.',
  queries: [q(checkCode(), '{{check}}')],
  mappings: mappings(CHECK),
  width: 24,
  height: 3 + Math.ceil(checks.length * 0.8),
  legend: false,
});

const found = table({
  title: 'Matched now, with evidence',
  description: 'Newest value of each key that an active signature rests on, at ' +
    'most four of each. Empty: no known signature matched.',
  queries: [
    rows(perRun(of('rlrun_signature_evidence'), 'signature, key')),
  ],
  columns: [
    ['signature', 'Signature', 240],
    ['key', 'Key', undefined],
    ['Value', 'Newest value', 130],
  ],
  hidden: ['project', 'run'],
  sort: [['Signature', false]],
  noValue: 'no known signature matched',
  width: 14,
  height: 10,
  unit: 'none',
});

const levels = table({
  title: 'Matched now or before',
  description: 'Level in force, the step since which it holds, and how often the ' +
    'signature became active; without a level it has recovered.',
  queries: [
    rows(`${perRun(of('rlrun_signature_activations_total'), 'signature')} > 0`),
    rows(`${code(LEVEL, 'signature')} > 0`),
    rows(perRun(of('rlrun_signature_since_step'), 'signature')),
  ],
  columns: [
    ['Value #B', 'Level', 90, coloured, ['mappings', mappings(LEVEL)]],
    ['signature', 'Signature', undefined],
    ['Value #C', 'Since step', 100, ['decimals', 0]],
    ['Value #A', 'Times', 70, ['decimals', 0]],
  ],
  hidden: ['project', 'run'],
  sort: [['Level', true], ['Times', true]],
  width: 10,
  height: 10,
  unit: 'none',
});

const words = () => text({
  title: 'What the signatures mean',
  description: 'The words of the status report.',
  content: GROUPS.filter(([group]) => inGroup(group).length > 0)
    .map(([group, title]) =>
      `### ${title}\n\n| signature | means | next |\n|---|---|---|\n` +
      inGroup(group).map(({ name, means, next }) =>
        `| \`${name}\` | ${means} | ${next} |`).join('\n')).join('\n\n'),
  height: 24,
});

const checkWords = () => text({
  title: 'What the checks mean',
  description: 'The words of the status report.',
  content: '| check | fails after | means |\n|---|---|---|\n' +
    checks.map(({ name, alert_after: limit, means }) =>
      `| \`${name}\` | ${limit} in a row | ${means} |`).join('\n'),
  height: 14,
});

export const diagnosis = () => board({
  uid: 'rlrun-diagnosis',
  title: 'RL runs / Diagnosis',
  description: 'One training run: signatures and checks over time, with evidence.',
  variables: runVariables(),
  annotations: runEvents(),
  rows: [
    row('', [
      ...head(),
      levels.span(9),
      found.span(8),
      failing({ width: 7, height: 10 }),
    ]),
    row('Signatures over time', timelines, false),
    row('Checks over time', [
      checkTimeline,
      curves({
        title: 'Steps in a row out of range',
        description: 'How long each check has been out of its healthy range; a ' +
          'curve that rises by one a step has not recovered.',
        queries: [q(run('rlrun_check_failing_steps'), '{{check}}')],
        unit: 'none',
        decimals: 0,
        min: 0,
        width: 12,
        height: 10,
      }),
      bars({
        title: 'Step since which a signature holds',
        description: 'Training step of the activation in force; the curves of the ' +
          'Run dashboard around it tell what changed.',
        queries: [now(`sort(${run('rlrun_signature_since_step')})`,
          '{{signature}}')],
        unit: 'none',
        decimals: 0,
        width: 12,
        height: 10,
      }),
    ], false),
    row('What they mean, and what next', [words(), checkWords()]),
  ],
});
