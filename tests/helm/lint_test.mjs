// The chart as helm sees it: lint, package, versions, and copies of files.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import yaml from 'js-yaml';
import {buildDir, chartDir, helm, scenarios, sourceDir, valuesFile} from './support/helm.mjs';

test('ItsOwnValuesPassLint', () => {
  const result = helm('lint', '--strict', chartDir);
  assert.equal(result.status, 0, result.stdout + result.stderr);
});

test('EveryScenarioPassesLint', async t => {
  assert.ok(scenarios().length >= 10);
  for (const scenario of scenarios()) {
    await t.test(scenario, () => {
      const result =
          helm('lint', '--strict', chartDir, '--values', valuesFile(scenario));
      assert.equal(result.status, 0, result.stdout + result.stderr);
      assert.match(result.stdout, /1 chart\(s\) linted, 0 chart\(s\) failed/);
    });
  }
});

test('APackageHoldsWhatIsRenderedFromIt', () => {
  const dir = fs.mkdtempSync(path.join(buildDir, 'helm', 'package-'));
  try {
    const packed = helm('package', chartDir, '--destination', dir);
    assert.equal(packed.status, 0, packed.stderr);
    const file = path.join(dir, 'rlrun-exporter-0.1.0.tgz');
    for (const scenario of ['monitoring', 'shards']) {
      const rendered = [file, chartDir].map(
          chart => helm('template', 'ci', chart, '--values', valuesFile(scenario)));
      assert.equal(rendered[0].status, 0, rendered[0].stderr);
      assert.equal(rendered[0].stdout, rendered[1].stdout);
    }
  } finally {
    fs.rmSync(dir, {recursive: true});
  }
});

test('ItsVersionIsThatOfTheExporter', () => {
  const cmake = fs.readFileSync(path.join(sourceDir, 'CMakeLists.txt'), 'utf8');
  const version = cmake.match(/^project\(rlrun_exporter VERSION (\S+)/m)[1];
  const chart =
      yaml.load(fs.readFileSync(path.join(chartDir, 'Chart.yaml'), 'utf8'));
  assert.equal(chart.appVersion, version);
});

test('CopiesOfRulesAndDashboardsAreTheFilesThemselves', () => {
  const script = path.join(sourceDir, 'scripts/update-chart.sh');
  const result = spawnSync(script, ['--check'], {encoding: 'utf8'});
  assert.equal(result.status, 0, result.stdout + result.stderr);
});
