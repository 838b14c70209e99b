// dashboards/README.md: what it says of the framework's own dashboard is true.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import yaml from 'js-yaml';

import { read } from './promql.mjs';
import {
  expressions, files, FOLDER, freshVocabulary, load, shown,
} from './shipped.mjs';

const readme = readFileSync(join(FOLDER, 'README.md'), 'utf8');
const table = readme.split('<!-- parity:begin -->')[1]
  .split('<!-- parity:end -->')[0].trim().split('\n').slice(2)
  .map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()));
const keysOf = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, key]) => key);
const all = load();
const titles = { Run: 'rlrun-run', Trials: 'rlrun-trials' };

// Selectors that match a series of a key: those of its family whose matchers
// allow the labels of its template.
const selectors = all.flatMap(expressions).filter(({ panel }) => panel)
  .flatMap(({ expr }) => read(expr).selectors);
const LABELS = {
  '=': (value, wanted) => value === wanted,
  '!=': (value, wanted) => value !== wanted,
  '=~': (value, wanted) => new RegExp(`^(?:${wanted})$`).test(value),
  '!~': (value, wanted) => !new RegExp(`^(?:${wanted})$`).test(value),
};
const matches = ({ names, matchers }, { family, labels }) =>
  names.includes(family) && matchers.every(({ label, op, value }) =>
    value.startsWith('$') || LABELS[op](labels[label] ?? '', value));

test('EachOfItsPanelsHasAnEqualOrAReason', () => {
  assert(table.length > 25);
  for (const [panel, keys, here] of table) {
    assert(panel && here, panel);
    assert(keys || /out of scope|Compare|none:|\//.test(here), panel);
  }
});

test('ItsKeysAreOnPanels', () => {
  const keys = table.flatMap(([, cell]) => keysOf(cell));
  assert(new Set(keys).size > 120);
  const mapped = freshVocabulary(undefined, keys).keys;
  // Shown as the step of a class of line.
  const elsewhere = ['training/global_step'];
  for (const key of keys) {
    if (elsewhere.includes(key)) continue;
    assert(selectors.some((each) => matches(each, mapped[key])), key);
  }
});

test('PanelsThatItNamesExist', () => {
  let seen = 0;
  for (const [, , here] of table) {
    for (const [, page, rest] of here.matchAll(
      /\b(Run|Trials) \/ (.+?)(?=, (?:Run|Trials) \/|[;.:]|$)/g)) {
      const known = shown(all.find(({ uid }) => uid === titles[page]))
        .map(({ title }) => title);
      assert(known.some((title) => rest.startsWith(title)), `${page} / ${rest}`);
      ++seen;
    }
  }
  assert(seen > 50);
});

test('EveryDashboardIsListed', () => {
  for (const file of files()) assert(readme.includes(`](${file})`), file);
});

test('LinksOfTheReadmeExist', () => {
  for (const [, path] of readme.matchAll(/\]\(([^)#]+)\)/g)) {
    if (!path.startsWith('http')) assert(existsSync(join(FOLDER, path)), path);
  }
});

test('ProvisioningIsYamlOfGrafana', () => {
  const provider = (name) => yaml.load(
    readFileSync(join(FOLDER, 'provisioning', name), 'utf8'));
  const [dashboards] = provider('dashboards.yaml').providers;
  assert.equal(dashboards.type, 'file');
  assert.equal(dashboards.allowUiUpdates, false);
  assert(readme.includes(dashboards.options.path));
  const [source] = provider('datasources.yaml').datasources;
  assert.equal(source.type, 'prometheus');
  assert.equal(source.jsonData.timeInterval, '15s');
});

test('PlainWordsOnThePast', () => {
  assert.match(readme, /Prometheus knows only what was scraped after installation/);
});
