// The dashboards as they are committed, panel by panel.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { dashboards } from '../../dashboards/src/build.mjs';
import { shownKeys } from '../../dashboards/src/query.mjs';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const FOLDER = join(ROOT, 'dashboards');

export const files = () =>
  readdirSync(FOLDER).filter((name) => name.endsWith('.json')).sort();
export const text = (file) => readFileSync(join(FOLDER, file), 'utf8');
export const load = () => files().map((file) => JSON.parse(text(file)));

// Panels and, before those inside them, rows.
export function panelsOf(dashboard) {
  return dashboard.panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]);
}

export const isRow = (panel) => panel.type === 'row';
export const shown = (dashboard) =>
  panelsOf(dashboard).filter((panel) => !isRow(panel));
export const nameOf = (dashboard, panel) => `${dashboard.uid} / ${panel.title}`;

// All PromQL of a dashboard: [{where, expr, panel?, target?}]. Of a query of a
// variable its selector.
export function expressions(dashboard) {
  const out = [];
  for (const panel of shown(dashboard)) {
    for (const target of panel.targets ?? []) {
      out.push({
        where: `${nameOf(dashboard, panel)} / ${target.refId}`,
        expr: target.expr,
        panel,
        target,
      });
    }
  }
  for (const variable of dashboard.templating.list) {
    if (variable.type !== 'query') continue;
    const match = /^label_values\((.*), ([a-z_]+)\)$/s.exec(variable.query.query);
    assert(match, `${dashboard.uid}: ${variable.query.query}`);
    out.push({
      where: `${dashboard.uid} / variable ${variable.name}`,
      expr: match[1],
      label: match[2],
      variable,
    });
  }
  for (const annotation of dashboard.annotations.list ?? []) {
    out.push({
      where: `${dashboard.uid} / annotation ${annotation.name}`,
      expr: annotation.expr,
      annotation,
    });
  }
  return out;
}

// Step keys that panels show. Builders name them as they run.
export function keys() {
  dashboards();
  return [...shownKeys].sort();
}

// What the exporter's tables say today, with the series of `keys`.
export function freshVocabulary(
  program = process.env.DASHBOARD_VOCABULARY, listed = keys()) {
  assert(program, 'DASHBOARD_VOCABULARY names the program that prints it');
  const folder = mkdtempSync(join(tmpdir(), 'rlrun_dashboards.'));
  try {
    const path = join(folder, 'keys');
    writeFileSync(path, listed.join('\n') + '\n');
    return JSON.parse(execFileSync(program, [path], { maxBuffer: 1 << 26 }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
