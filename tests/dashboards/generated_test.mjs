// What is committed is what the tables of the exporter and the builders make.
// RLRUN_UPDATE_DASHBOARDS=1 writes both.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../dashboards', import.meta.url));
const VOCABULARY = join(FOLDER, 'src/vocabulary.json');
const printed = execFileSync(process.env.DASHBOARD_VOCABULARY, { encoding: 'utf8' });
const updates = process.env.RLRUN_UPDATE_DASHBOARDS;
const HINT = 'RLRUN_UPDATE_DASHBOARDS=1 ctest -R dashboards_generated writes it ' +
  'anew; scripts/update-chart.sh copies it into the chart';

if (updates) {
  writeFileSync(VOCABULARY, printed);
  execFileSync(process.execPath, [join(FOLDER, 'src/build.mjs')]);
}
// Not before: builders read the vocabulary when they are loaded.
const { files, text } = await import('./shipped.mjs');
const { dashboards, render } = await import('../../dashboards/src/build.mjs');

test('VocabularyIsTheTablesOfTheExporter', () => {
  assert.equal(readFileSync(VOCABULARY, 'utf8'), printed, HINT);
});

test('DashboardsAreWhatTheBuildersMake', () => {
  for (const dashboard of dashboards()) {
    assert.equal(text(`${dashboard.uid}.json`), render(dashboard), HINT);
  }
});

test('NoOtherDashboardIsCommitted', () => {
  assert.deepEqual(files(),
    dashboards().map(({ uid }) => `${uid}.json`).sort());
});

test('SameInputMakesTheSameBytes', () => {
  const once = dashboards().map(render);
  assert.deepEqual(dashboards().map(render), once);
});
