// Writes the dashboards: node dashboards/src/build.mjs [DIR], by default beside
// the folder of this file.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { compare } from './compare.mjs';
import { critic } from './critic.mjs';
import { diagnosis } from './diagnosis.mjs';
import { exporter } from './exporter.mjs';
import { fleet } from './fleet.mjs';
import { runPage } from './run.mjs';
import { trialsPage } from './trials.mjs';

export const dashboards = () =>
  [fleet, runPage, diagnosis, trialsPage, critic, compare, exporter]
    .map((make) => make());

// A line per panel, variable, annotation: small, and a diff names what changed.
function lines(value, depth) {
  if (depth === 0 || typeof value !== 'object' || value === null) {
    return JSON.stringify(value);
  }
  const isList = Array.isArray(value);
  const parts = Object.entries(value)
    .map(([name, each]) => (isList ? '' : `${JSON.stringify(name)}: `) +
      lines(each, name === 'panels' || isList ? depth : depth - 1));
  const [open, close] = isList ? '[]' : '{}';
  if (parts.length === 0) return open + close;
  return `${open}\n${parts.join(',\n')}\n${close}`;
}

export const render = (dashboard) => 
  lines(JSON.parse(JSON.stringify(dashboard)), 3) + '\n';

function main() {
  const out = resolve(process.argv[2] ??
    fileURLToPath(new URL('..', import.meta.url)));
  mkdirSync(out, { recursive: true });
  for (const dashboard of dashboards()) {
    writeFileSync(join(out, `${dashboard.uid}.json`), render(dashboard));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
