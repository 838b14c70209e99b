// States as numbers, the worse the larger, so that tables can be sorted by them
// and timelines have one row; and what is shown for the numbers: text, in the
// few colours that mean something.
const OK = 'green';
const INFO = 'blue';
const WARN = 'yellow';
const BAD = 'red';
const OVER = '#808080';

export const HEALTH = {
  label: 'level',
  family: 'rlrun_health',
  values: {
    healthy: [0, 'healthy', OK],
    at_risk: [1, 'at risk', WARN],
    critical: [2, 'critical', BAD],
  },
};

export const DECISION = {
  label: 'decision',
  family: 'rlrun_decision',
  values: {
    continue: [0, 'continue', OK],
    wait: [1, 'wait', WARN],
    stop: [2, 'stop', BAD],
  },
};

export const STATE = {
  label: 'state',
  family: 'rlrun_state',
  values: {
    finished: [0, 'finished', OVER],
    running: [1, 'running', OK],
    starting: [2, 'starting', INFO],
    interrupted: [3, 'interrupted', OVER],
    lost: [4, 'lost', WARN],
    stalled: [5, 'stalled', WARN],
    failed: [6, 'failed', BAD],
  },
};

export const LEVEL = {
  label: 'severity',
  family: 'rlrun_signature_active',
  values: {
    info: [1, 'info', INFO],
    warning: [2, 'warning', WARN],
    critical: [3, 'critical', BAD],
  },
  none: [0, 'no match', 'transparent'],
};

export const CHECK = {
  values: {
    in_range: [0, 'in range', 'transparent'],
    out_of_range: [1, 'out of range', INFO],
    failed: [2, 'failed', WARN],
  },
};

export const LIVE_STATES = 'starting|running|stalled';

// Value mappings of a panel that shows such numbers.
export function mappings(states) {
  const rows = Object.values(states.values);
  if (states.none) rows.push(states.none);
  const options = {};
  for (const [code, text, color] of rows) {
    options[code] = { text, color, index: code };
  }
  return [{ type: 'value', options }];
}

// Value mappings for the names themselves.
export function nameMappings(states) {
  const options = {};
  Object.entries(states.values).forEach(([name, [, text, color]], index) => {
    options[name] = { text, color, index };
  });
  return [{ type: 'value', options }];
}
