// Drives a real browser over every page that the real exporter serves of every
// sample run: expected texts, boxes, contrast, structure, keyboard, requests.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { serve } from './exporter.mjs';
import { inspectPage, inspectStructure } from './inspect.mjs';
import { Findings, options } from './options.mjs';
import { writeRuns } from './runs.mjs';

const { exporter, generator, out } = options('exporter', 'generator', 'out');
const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 360, height: 740 };
const WORKERS = 2;
const findings = new Findings();
const seen = { pages: 0, texts: 0, least: 21 };

async function openPage(browser, origin) {
  const page = await browser.newPage({ viewport: WIDE });
  const where = () => decodeURI(page.url().replace(origin, ''));
  page.on('console', (message) => {
    // A page that is missing on purpose is a message too.
    if (message.type() === 'error' && !/status of 404/.test(message.text())) {
      findings.add(where(), `console: ${message.text()}`);
    }
  });
  page.on('pageerror', (error) => findings.add(where(), `script: ${error}`));
  page.on('dialog', (dialog) => {
    findings.add(where(), `a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    findings.check(url.origin === origin, where(), `asks ${url}`);
  });
  return page;
}

async function look(page, where, state, part = 'all') {
  const result = await page.evaluate(inspectPage, part);
  for (const what of result.wrong) findings.add(`${where} ${state}`, what);
  seen.texts += result.texts;
  seen.least = Math.min(seen.least, result.least);
}

// All that holds of every page. What is folded is looked at unfolded, too.
async function visit(page, url, where, status = 200) {
  seen.pages += 1;
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: 'light' });
  const response = await page.goto(url);
  findings.check(response.status() === status, where, `status ${response.status()}`);
  for (const what of await page.evaluate(inspectStructure)) findings.add(where, what);
  await look(page, where, 'wide, light');
  await page.evaluate(() => {
    for (const fold of document.querySelectorAll('details')) fold.open = true;
  });
  await page.emulateMedia({ colorScheme: 'dark' });
  await look(page, where, 'wide, dark', 'contrast');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(NARROW);
  await look(page, where, 'narrow');
}

// No width in between is worse than the two ends.
async function lookAtWidths(page, url, where) {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(url);
  for (const width of [320, 480, 600, 705, 768, 850, 990, 1060, 1200]) {
    await page.setViewportSize({ width, height: 800 });
    await look(page, where, `${width} wide`);
  }
}

// What a newcomer must find on the page of a run, by what the API knows of it.
async function expectReport(page, run, where) {
  const text = (await page.evaluate(() => document.querySelector('main').innerText))
    .replace(/\s+/g, ' ');
  const expect = (part, what) => {
    // What reorders or hides text is not shown as it is.
    const plain = String(part).replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f]/g, '\ufffd')
      .replace(/\s+/g, ' ').trim();
    findings.check(text.includes(plain), where, `does not say ${what}: ${plain}`);
  };
  expect(run.run, 'its name');
  expect(run.state, 'its state');
  expect(run.health.replace('_', ' '), 'its health');
  expect(run.headline, 'the headline');
  if (run.decision) expect(`Decision: ${run.decision}`, 'the decision');
  for (const signature of run.signatures.filter((s) => s.level !== 'none')) {
    expect(signature.signature, 'what is wrong');
    expect(signature.means, 'what it means');
    expect(signature.next, 'what to do');
    if (signature.since_step !== undefined) {
      expect(`since step ${signature.since_step}`, 'since when');
    }
    for (const evidence of signature.evidence) expect(evidence.key, 'on what evidence');
    findings.check(signature.evidence.length > 0, where, `${signature.signature} has no evidence`);
  }
  for (const check of run.checks.filter((c) => c.failed)) {
    expect(check.check, 'which check has failed');
    expect(check.means, 'what a failed check means');
    expect(`since step ${check.since_step}`, 'since when a check fails');
    expect(check.next, 'what to do about a failed check');
  }
  for (const sentence of run.recommendations) expect(sentence, 'what is recommended');
}

// Tab reaches every control in turn, shows which one it is, and scrolls to it.
async function tabThrough(page, url, where) {
  const controls = () => [...document.querySelectorAll('a[href], summary')]
    .filter((element) => element.checkVisibility());
  await page.goto(url);
  await page.evaluate(`window.controls = ${controls}`);
  const count = Math.min(await page.evaluate(() => window.controls().length), 40);
  for (let i = 0; i < count; i += 1) {
    await page.keyboard.press('Tab');
    const focus = await page.evaluate(async () => {
      await new Promise(requestAnimationFrame);
      const element = document.activeElement;
      const style = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      return {
        index: window.controls().indexOf(element),
        outline: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
        inView: box.bottom > 0 && box.top < innerHeight && box.left >= 0,
      };
    });
    findings.check(focus.index === i, where, `Tab ${i + 1} is at control ${focus.index}`);
    findings.check(focus.outline, where, `the focus on control ${i} is not seen`);
    findings.check(focus.inView, where, `control ${i} is out of view`);
  }
}

async function shoot(page, url, name) {
  for (const [width, size] of [['wide', WIDE], ['narrow', NARROW]]) {
    for (const colorScheme of ['light', 'dark']) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      await page.goto(url);
      await page.screenshot({ path: join(out, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
  }
}

async function expectScenario(rows, runs, origin) {
  for (const row of rows) {
    const run = runs.find((r) => r.project === row.project && r.run === row.run);
    findings.check(run, row.scenario, 'is not served');
    if (!run || row.needs_process) continue;
    findings.check(run.state === row.state, row.scenario, `is ${run.state}, not ${row.state}`);
    if (!row.signature) continue;
    const found = run.signatures.find((s) => s.signature === row.signature);
    findings.check(found?.level === row.level, row.scenario,
      `${row.signature} is ${found?.level}, not ${row.level} (${origin})`);
  }
}

// The inspection itself: pages with one thing wrong, and what must be said.
async function testInspection(browser) {
  const page = await browser.newPage({ viewport: NARROW });
  const boxes = {
    '<p style="width:900px">wide</p>': /the page is \d+ wide/,
    '<p style="width:40px;overflow:hidden;white-space:nowrap">cut off here</p>': /cut on the right/,
    '<p style="height:9px;overflow:hidden">a<br>b<br>c</p>': /cut at the bottom/,
    '<p>one text</p><p style="margin-top:-2em">another text</p>': /on each other/,
    '<svg width="50" height="20"><text x="40" y="15">label</text></svg>': /outside of its picture/,
    '<p style="color:#999">pale</p>': /contrast 2\.\d+/,
    '<p style="background:#000;color:#222">dark</p>': /contrast 1\.\d+/,
  };
  const structure = {
    '<h1>a</h1><h3>b</h3>': /h3 behind h1/,
    '<section><h1>a</h1></section>': /<section> without a name/,
    '<table><tbody><tr><td>a</td></tr></tbody></table>': /a row without a head/,
    '<svg></svg>': /an svg without a role/,
    '<a href="javascript:x()">a</a>': /a link to javascript/,
    '<img src="/x" onerror="x()">': /the attribute onerror/,
  };
  for (const [html, expected] of Object.entries(boxes)) {
    await page.setContent(`<body style="margin:8px">${html}`);
    const { wrong } = await page.evaluate(inspectPage, 'all');
    findings.check(wrong.some((what) => expected.test(what)), 'the inspection', `misses ${html}`);
  }
  for (const [html, expected] of Object.entries(structure)) {
    await page.setContent(html);
    const wrong = await page.evaluate(inspectStructure);
    findings.check(wrong.some((what) => expected.test(what)), 'the inspection', `misses ${html}`);
  }
  await page.close();
}

async function testPages(browser, server, rows) {
  const origin = server.url;
  const { runs } = await (await fetch(`${origin}/api/v1/runs`)).json();
  await expectScenario(rows, runs, origin);
  const page = await openPage(browser, origin);
  await visit(page, `${origin}/`, '/');
  // By the links, as a person would.
  await page.goto(`${origin}/`);
  const links = await page.evaluate(() =>
    [...document.querySelectorAll('tbody th a')].map((a) => a.href));
  findings.check(links.length === runs.length, '/', `${links.length} links for ${runs.length} runs`);
  const queue = [...links];
  const shown = new Set();
  const pages = [page];
  while (pages.length < WORKERS) pages.push(await openPage(browser, origin));
  await Promise.all(pages.map(async (own) => {
    for (let url = queue.pop(); url; url = queue.pop()) {
      const api = await fetch(url.replace('/runs/', '/api/v1/runs/'));
      const one = api.ok ? (await api.json()).runs[0] : {};
      const path = `${one.project ?? '-'}/${one.run}`;
      await visit(own, url, path);
      findings.check(!shown.has(path), path, 'is on two pages');
      shown.add(path);
      const run = runs.find((r) => r.project === one.project && r.run === one.run);
      findings.check(run, url, 'is not in the API');
      if (run) await expectReport(own, run, path);
    }
  }));
  await visit(page, `${origin}/runs/lab/kl_blowap`, 'a misspelt name', 404);
  const near = await page.evaluate(() => [...document.querySelectorAll('main a')].map((a) => a.innerText));
  findings.check(near.includes('lab/kl_blowup'), 'a misspelt name', `offers ${near}`);
  await visit(page, `${origin}/runbooks/`, '/runbooks/');
  await visit(page, `${origin}/runbooks/RLRunStall.md`, 'a runbook');
  await page.goto(`${origin}/runs/lab/kl_blowup?refresh=7`);
  const refresh = await page.evaluate(() => document.querySelector('meta[http-equiv=refresh]')?.content);
  findings.check(refresh === '7', '?refresh=7', `refreshes every ${refresh}`);
  for (const path of ['', 'runs/lab/kl_blowup', 'runs/lab/trainer_crash', 'runs/lab/check-timeout_share']) {
    await lookAtWidths(page, `${origin}/${path}`, `/${path}`);
  }
  await page.setViewportSize({ width: 768, height: 1024 });
  await page.goto(`${origin}/`);
  await page.screenshot({ path: join(out, 'runs-tablet-light.png') });
  await page.setViewportSize(WIDE);
  await tabThrough(page, `${origin}/`, 'Tab on /');
  await tabThrough(page, `${origin}/runs/lab/kl_blowup`, 'Tab on a run');
  const trials = runs.find((r) => r.trials?.complete && r.trials.counts.finished > 0);
  findings.check(trials, 'trials', 'no run has any');
  await shoot(page, `${origin}/`, 'runs');
  await shoot(page, `${origin}/runs/lab/kl_blowup`, 'warning');
  await shoot(page, `${origin}/runs/lab/trainer_crash`, 'crash');
  await shoot(page, `${origin}/runs/lab/healthy`, 'healthy');
  await shoot(page, `${origin}/runs/lab/check-timeout_share`, 'check');
  if (trials) await shoot(page, `${origin}/runs/${trials.project}/${trials.run}`, 'trials');
  await shoot(page, `${origin}/runs/lab/kl_blowap`, 'no-such-run');
  await shoot(page, `${origin}/runbooks/RLRunStall`, 'runbook');
}

const dir = mkdtempSync(join(tmpdir(), 'rlrun-pages-'));
let server, browser;
try {
  mkdirSync(out, { recursive: true });
  const rows = writeRuns(generator, dir);
  server = await serve(exporter, [join(dir, 'runs'), join(dir, 'tree'), join(dir, 'evil')]);
  browser = await chromium.launch({
    executablePath: process.env.RLRUN_CHROMIUM || '/usr/bin/chromium',
    args: process.getuid() === 0 ? ['--no-sandbox'] : [],
  });
  await testInspection(browser);
  await testPages(browser, server, rows);
} catch (error) {
  findings.add('the test', error.stack || error);
} finally {
  await browser?.close();
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
}
findings.report(`${seen.pages} pages, ${seen.texts} texts, least contrast ${seen.least.toFixed(2)}`);
