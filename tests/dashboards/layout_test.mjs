// Where panels stand.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isRow, load, nameOf, panelsOf } from './shipped.mjs';

const WIDTH = 24;
const all = load();

const meet = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w &&
  a.y < b.y + b.h && b.y < a.y + a.h;

function overlaps(panels) {
  const out = [];
  panels.forEach((a, index) => panels.slice(index + 1).forEach((b) => {
    if (meet(a.gridPos, b.gridPos)) out.push([a.title, b.title]);
  }));
  return out;
}

test('NoPanelOverlapsAnother', () => {
  for (const dashboard of all) {
    assert.deepEqual(overlaps(panelsOf(dashboard)), [], dashboard.uid);
  }
});

test('OverlapIsSeen', () => {
  const at = (x, y) => ({ title: `${x},${y}`, gridPos: { x, y, w: 8, h: 8 } });
  assert.equal(overlaps([at(0, 0), at(8, 0), at(0, 8)]).length, 0);
  assert.equal(overlaps([at(0, 0), at(7, 7)]).length, 1);
});

test('PanelsFitThePage', () => {
  for (const dashboard of all) {
    for (const panel of panelsOf(dashboard)) {
      const { x, y, w, h } = panel.gridPos;
      const fits = x >= 0 && y >= 0 && w > 0 && h > 0 && x + w <= WIDTH;
      assert(fits, nameOf(dashboard, panel));
      assert(!isRow(panel) || (x === 0 && w === WIDTH && h === 1));
    }
  }
});

// A line that ends early, or panels of unequal height in it, look like a
// mistake; only the last line of a row may be shorter.
test('LinesAreFull', () => {
  for (const dashboard of all) {
    const lines = new Map();
    for (const panel of panelsOf(dashboard).filter((each) => !isRow(each))) {
      const { y } = panel.gridPos;
      lines.set(y, [...(lines.get(y) ?? []), panel]);
    }
    for (const panels of lines.values()) {
      const where = panels.map(({ title }) => title).join(', ');
      const heights = new Set(panels.map(({ gridPos }) => gridPos.h));
      assert.equal(heights.size, 1, `${dashboard.uid}: ${where}`);
      const width = panels.reduce((sum, { gridPos }) => sum + gridPos.w, 0);
      assert(width === WIDTH || panels.some(({ repeat }) => repeat) ||
        isLast(dashboard, panels[0]), `${dashboard.uid}: ${where}: ${width}`);
    }
  }
});

function isLast(dashboard, panel) {
  const ordered = panelsOf(dashboard).map((each) => each)
    .sort((a, b) => a.gridPos.y - b.gridPos.y);
  const next = ordered.find((each) => each.gridPos.y > panel.gridPos.y);
  return !next || isRow(next);
}

test('IdsAreUnique', () => {
  for (const dashboard of all) {
    const ids = panelsOf(dashboard).map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, dashboard.uid);
    assert(ids.every(Number.isInteger), dashboard.uid);
  }
});

test('ClosedRowsHoldTheirPanels', () => {
  for (const dashboard of all) {
    for (const row of dashboard.panels.filter(isRow)) {
      assert.equal(row.collapsed, row.panels.length > 0,
        `${dashboard.uid}: ${row.title}`);
    }
  }
});

// What is looked at first stands on top: it needs no click.
test('VerdictIsOnTop', () => {
  for (const uid of ['rlrun-run', 'rlrun-diagnosis', 'rlrun-critic']) {
    const dashboard = all.find((each) => each.uid === uid);
    const titles = dashboard.panels.filter(({ gridPos }) => gridPos.y === 0)
      .map(({ title }) => title);
    assert.deepEqual(titles.slice(0, 3), ['Health', 'Decision', 'State'], uid);
  }
});
