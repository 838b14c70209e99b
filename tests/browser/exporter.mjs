// The real exporter over sample runs that end just now: writes them, serves
// them on a free loopback port, waits until it has read them all.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// Every scenario below `dir`, each written so that the time at which its ledger
// looks at it is `now` (Unix seconds). Returns the rows of the ledgers.
export function writeScenarios(generator, dir, now) {
  const plain = join(dir, 'plain');
  execFileSync(generator, ['write', 'all', `--dir=${plain}`]);
  const start = 1772442000; // of a scenario that is not told another one
  const offsets = new Map();
  for (const row of JSON.parse(readFileSync(`${plain}.ledger.json`, 'utf8'))) {
    const offset = row.at - start;
    if (!offsets.has(offset)) offsets.set(offset, new Set());
    offsets.get(offset).add(row.scenario);
  }
  rmSync(plain, { recursive: true });
  const rows = [];
  for (const [offset, names] of offsets) {
    const ledger = join(dir, 'ledger.json');
    execFileSync(generator, ['write', ...names, `--dir=${join(dir, 'runs')}`,
      `--start=${Math.floor(now) - offset}`, `--ledger=${ledger}`]);
    rows.push(...JSON.parse(readFileSync(ledger, 'utf8')));
  }
  return rows;
}

// Text as a file that was last written `age` seconds before `now`.
export function writeLog(path, text, now, age) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, now - age, now - age);
}

export async function until(condition, what, seconds = 240) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`${what}: not within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

// Resolves to { url, stop } once everything below the paths has been read.
export async function serve(binary, args) {
  const child = spawn(binary, ['serve', '--web.listen-address=127.0.0.1:0', ...args],
    { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (bytes) => { log += bytes; });
  const stop = () => new Promise((resolve) => {
    child.once('exit', resolve);
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.kill('SIGTERM');
  });
  try {
    const url = await until(() => {
      if (child.exitCode !== null) throw new Error(`the exporter has ended: ${log}`);
      return /msg="?Listening"? url="?(http:[^\s"]+)/.exec(log)?.[1];
    }, 'its address');
    await until(async () => (await fetch(`${url}/-/ready`)).ok, 'ready');
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
