// The runs that the tests of pages serve: all scenarios, trees of trials, and
// logs whose names and texts try to become markup.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { writeLog, writeScenarios } from './exporter.mjs';

// Stands in lines of logs and nowhere else.
export const MARK = 'quoted-of-a-log';

const evil = [
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(2)>',
  "' onfocus='alert(3)' autofocus='",
  'javascript:alert(4)',
  '<script>alert(5)<script>',
  '&lt;script&gt;alert(6)',
  '<!-- x',
  'name with blanks & ampersand',
  'a#b?c=%2e%2e%2f',
  '日本語-ünï-🚀',
  'left\u202eright\u200b',
  'x'.repeat(180),
  'many.dots_and-dashes'.repeat(8),
];

// Names that runs state in their config: slashes, and what a browser takes for
// a way up.
const stated = [['..', '..'], ['.', '~.'], ['p/q', 'a/b'], ['p', 'q/a/b'], ['-', '../../etc/passwd']];

// A run as it stands in an URL.
export function runPath(run) {
  const part = (name) => (/^~*(\.|\.\.|-)$/.test(name) ? '~' : '') + encodeURIComponent(name);
  return `${run.project === undefined ? '-' : part(run.project)}/${part(run.run)}`;
}

function steps(count, text) {
  let out = '';
  for (let i = 1; i <= count; i += 1) {
    out += `(TaskRunner pid=7) step:${i} - actor/lr:1e-06 - critic/rewards/mean:0.4${i % 3}` +
      ` - actor/grad_norm:0.3 - ${text}:1\n`;
  }
  return out;
}

// Returns the rows of the scenarios' ledgers.
export function writeRuns(generator, dir) {
  const now = Date.now() / 1000;
  const rows = writeScenarios(generator, dir, now);
  execFileSync(generator, ['write', 'tree', `--dir=${join(dir, 'tree')}`,
    `--start=${Math.floor(now) - 9000}`]);
  evil.forEach((name, i) => {
    const quoted = `${MARK} ${name}`;
    const traceback = 'Traceback (most recent call last):\n' +
      '  File "/opt/train.py", line 1, in <module>\n' +
      `RuntimeError: ${quoted}\n`;
    const end = i % 2 === 0 ? traceback
      : `INFO:2026-03-02 10:29:12,721:${quoted}\n`;
    writeLog(join(dir, 'evil', String(i), 'logs', `${name}.log`),
      steps(12, `odd/${name.replace(/[ :\n]/g, '_')}`) + end, now, 900);
  });
  stated.forEach(([project, run], i) => {
    const config = `{'trainer': {'project_name': '${project}', 'experiment_name': '${run}'}}\n`;
    writeLog(join(dir, 'evil', `stated${i}`, `train_${i}.log`),
      config + steps(12 + i, `stated/${i}`), now, 60);
  });
  return rows;
}
