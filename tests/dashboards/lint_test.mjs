// The rules of Grafana's dashboard-linter, which is not to be had as a package,
// each as a test of its name, with the exclusions that have a reason; and what
// we ask beyond them.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { vocabulary } from '../../dashboards/src/vocabulary.mjs';
import { read } from './promql.mjs';
import {
  expressions, files, isRow, load, nameOf, panelsOf, shown, text,
} from './shipped.mjs';

const all = load();
const variable = (dashboard, name) =>
  dashboard.templating.list.find((each) => each.name === name);
const each = (check) => all.forEach((dashboard) =>
  shown(dashboard).forEach((panel) => check(panel, nameOf(dashboard, panel), dashboard)));
const eachQuery = (check) => all.forEach((dashboard) =>
  expressions(dashboard).forEach((query) => check(query, dashboard)));

// A run may be seen by several exporters, and its series are the maximum over
// them: an instance to choose would hide runs. Only the page of the exporters
// themselves has job and instance.
const HAS_INSTANCE = ['rlrun-exporter'];

// Counters that are shown as they stand: totals since the run or the exporter
// began, which are recomputed from files and do not fall to 0 with a restart.
const TOTALS_SHOWN = new Set([
  'rlrun_log_errors_total', 'rlrun_nonfinite_values_total',
  'rlrun_rewinds_total', 'rlrun_signature_activations_total',
  'rlrun_attempts_total',
  'rlrun_phase_seconds_total', 'rlrun_trials_finished_total',
  'rlrun_trials_scored_total', 'rlrun_trials_solved_total',
  'rlrun_trials_dropped_total', 'rlrun_trial_exceptions_total',
  'rlrun_exporter_trial_errors_total', 'rlrun_exporter_config_blocks_total',
  'rlrun_exporter_engine_lines_dropped_total',
  'rlrun_exporter_scrape_errors_total',
]);

test('template-datasource', () => {
  for (const dashboard of all) {
    const found = dashboard.templating.list.filter(({ type }) => type === 'datasource');
    assert.equal(found.length, 1, dashboard.uid);
    assert.equal(found[0].name, 'datasource');
    assert.equal(found[0].label, 'Data source');
    assert.equal(found[0].query, 'prometheus');
  }
});

test('template-project, template-run', () => {
  for (const dashboard of all) {
    const names = dashboard.templating.list.map(({ name }) => name);
    assert.deepEqual(names.slice(0, 3), ['datasource', 'project', 'run'],
      dashboard.uid);
    assert.match(variable(dashboard, 'run').definition,
      /^label_values\(rlrun_info\{project=~"\$project"\}, run\)$/);
  }
});

test('template-job, template-instance', () => {
  for (const dashboard of all) {
    for (const name of ['job', 'instance']) {
      const found = variable(dashboard, name);
      if (!HAS_INSTANCE.includes(dashboard.uid)) {
        assert(!found, `${dashboard.uid}: ${name}`);
        continue;
      }
      assert(found.multi && found.includeAll, `${dashboard.uid}: ${name}`);
      assert.equal(found.allValue, '.+');
      assert.equal(found.datasource.uid, '${datasource}');
    }
  }
});

test('target-job, target-instance', () => {
  eachQuery(({ where, expr, target }, dashboard) => {
    if (!target || !HAS_INSTANCE.includes(dashboard.uid)) return;
    for (const { matchers } of read(expr).selectors) {
      for (const label of ['job', 'instance']) {
        assert(matchers.some((matcher) => matcher.label === label &&
          matcher.op === '=~' && matcher.value === `$${label}`), `${where}: ${label}`);
      }
    }
  });
});

// Every series of a run is that of the chosen project and run.
test('target-project, target-run', () => {
  eachQuery(({ where, expr }, dashboard) => {
    for (const { names, matchers } of read(expr).selectors) {
      if (names[0] === 'rlrun_info' && where.includes('variable')) continue;
      if (HAS_INSTANCE.includes(dashboard.uid) &&
        vocabulary.families.every(({ name, scope }) =>
          scope !== 'run' || name !== names[0])) continue;
      const runs = matchers.find(({ label }) => label === 'run');
      assert(['$run', '$run|'].includes(runs?.value), where);
      assert(matchers.some(({ label, value }) =>
        label === 'project' && value === '$project'), where);
    }
  });
});

test('template-label-promql, template-on-time-change-reload', () => {
  for (const dashboard of all) {
    for (const each of dashboard.templating.list) {
      if (each.type !== 'query') continue;
      assert.equal(each.refresh, 2, `${dashboard.uid}: ${each.name}`);
      assert.equal(each.query.query, each.definition);
      assert.match(each.definition, /^label_values\(.+, \w+\)$/);
      assert(each.label && each.description, `${dashboard.uid}: ${each.name}`);
    }
  }
});

test('panel-datasource', () => {
  each((panel, name) => {
    if (panel.type === 'text') return;
    for (const source of [panel, ...panel.targets].map((part) => part.datasource)) {
      assert.deepEqual(source, { type: 'prometheus', uid: '${datasource}' }, name);
    }
  });
});

test('panel-title-description', () => {
  each((panel, name) => {
    assert(panel.title, name);
    assert(panel.description?.length > 20, name);
  });
});

test('panel-no-targets', () => {
  each((panel, name) => {
    if (panel.type === 'text') return;
    assert(panel.targets.length > 0, name);
    const letters = panel.targets.map(({ refId }) => refId);
    assert.equal(new Set(letters).size, letters.length, name);
    assert(letters.every((letter) => /^[A-Z]$/.test(letter)), name);
  });
});

test('panel-units', () => {
  each((panel, name) => {
    if (panel.type === 'text') return;
    assert(panel.fieldConfig.defaults.unit, name);
  });
});

test('target-rate-interval', () => {
  eachQuery(({ where, expr, annotation }) => {
    for (const { range, calls } of read(expr).selectors) {
      if (!range) continue;
      if (annotation) {
        // Twice the step of an annotation: an event is one mark.
        assert.deepEqual([calls.at(-1), range], ['changes', '2m'], where);
        continue;
      }
      // $__range: how many in all that is shown.
      const wanted = calls.includes('increase') ? ['$__rate_interval', '$__range']
        : ['$__rate_interval'];
      assert(wanted.includes(range), `${where}: ${range}`);
      assert(['rate', 'increase'].includes(calls.at(-1)), `${where}: ${calls}`);
    }
  });
});

test('target-counter-agg', () => {
  eachQuery(({ where, expr, variable: of }) => {
    if (of) return;
    for (const { names, range } of read(expr).selectors) {
      const [name] = names;
      if (!name.endsWith('_total') || range) continue;
      assert(TOTALS_SHOWN.has(name), `${where}: ${name}`);
    }
  });
});

test('uneditable-dashboard', () => {
  for (const dashboard of all) assert.equal(dashboard.editable, false);
});

// Prometheus 3: ranges are open on the left, le and quantile are normalised,
// some functions have other names.
test('NothingChangesItsMeaningInPrometheusThree', () => {
  const words = new RegExp('_over_time\\b|\\b(irate|idelta|holt_winters)\\b|' +
    '\\b(le|quantile)=|@ (end|start)');
  eachQuery(({ where, expr }) => {
    assert.doesNotMatch(expr, words, where);
    for (const { range } of read(expr).selectors) {
      assert(!range.includes(':'), `${where}: a subquery`);
    }
  });
});

// Of Angular, or replaced.
test('CurrentPanelTypesOnly', () => {
  const current = new Set(['row', 'stat', 'table', 'timeseries', 'bargauge',
    'state-timeline', 'status-history', 'heatmap', 'xychart', 'text']);
  for (const dashboard of all) {
    for (const panel of panelsOf(dashboard)) {
      assert(current.has(panel.type), `${nameOf(dashboard, panel)}: ${panel.type}`);
    }
  }
});

test('GapsAreNotJoined', () => {
  each((panel, name) => {
    if (!['timeseries', 'state-timeline'].includes(panel.type)) return;
    assert.equal(panel.fieldConfig.defaults.custom.spanNulls, false, name);
  });
});

test('UidIsTheNameOfTheFile', () => {
  for (const file of files()) {
    const dashboard = JSON.parse(text(file));
    assert.equal(`${dashboard.uid}.json`, file);
    assert.match(dashboard.uid, /^rlrun-[a-z]+$/);
    assert(dashboard.tags.includes('rlrun') && dashboard.description, file);
    assert(!('id' in dashboard) || dashboard.id === null, file);
  }
});

test('SmallerThanAnAnnotationOfKubernetes', () => {
  for (const file of files()) {
    assert(Buffer.byteLength(text(file)) < 256 * 1024, file);
  }
});

const MANY_RUNS = ['rlrun-fleet', 'rlrun-compare', 'rlrun-exporter'];

// What each page is handed: never many runs on a page of one, nor one run on
// Fleet, which is to show all.
test('LinksKeepVariablesAndTime', () => {
  const uids = all.map(({ uid }) => uid).sort();
  for (const { uid, links } of all) {
    const targets = links.map(({ url }) => /rlrun-[a-z]+/.exec(url)[0]);
    assert.deepEqual([...targets, uid].sort(), uids, uid);
    links.forEach((link, at) => {
      const to = targets[at];
      assert(link.keepTime && link.type === 'link', `${uid} to ${to}`);
      const many = MANY_RUNS.includes(uid);
      const keeps = many === MANY_RUNS.includes(to) ||
        (!many && to !== 'rlrun-fleet');
      assert.equal(link.includeVars, keeps, `${uid} to ${to}`);
      assert.equal(link.url, `/d/${to}${keeps ? '' : '?${datasource:queryparam}'}`);
    });
  }
});

// The fields that a link of a cell takes are in its row.
test('LinksOfCellsNameTheRun', () => {
  const rest = '&${datasource:queryparam}&${__url_time_range}';
  const ofRow = 'var-project=${__data.fields.project}&var-run=${__data.fields.run}';
  const ofPage = '${project:queryparam}&${run:queryparam}';
  let seen = 0;
  each((panel, name, { uid }) => {
    const links = (panel.fieldConfig?.overrides ?? [])
      .flatMap(({ properties }) => properties)
      .filter(({ id }) => id === 'links').flatMap(({ value }) => value);
    const organize = panel.transformations?.find(({ id }) => id === 'organize');
    for (const { url, title } of links) {
      const [to] = /rlrun-[a-z]+/.exec(url);
      assert(title && all.some((dashboard) => dashboard.uid === to), name);
      const many = MANY_RUNS.includes(uid);
      assert.equal(url, `/d/${to}?${many ? ofRow : ofPage}${rest}`, name);
      for (const field of many ? ['project', 'run'] : []) {
        assert(!organize.options.excludeByName[field], `${name}: ${field}`);
        assert(organize.options.renameByName[field], `${name}: ${field}`);
      }
      ++seen;
    }
  });
  assert(seen > 5);
});

// Numbers that stand for states are shown as words.
test('StatesAreWords', () => {
  eachQuery(({ where, expr, panel, target }) => {
    if (!target || !/rlrun_(health|decision|state)\{[^}]*(level|decision|state)="/
      .test(expr) || !expr.includes(' or ')) return;
    const field = panel.fieldConfig;
    const title = panel.transformations?.find(({ id }) => id === 'organize')
      ?.options.renameByName[`Value #${target.refId}`];
    const own = field.overrides.find(({ matcher }) => matcher.options === title)
      ?.properties.some(({ id }) => id === 'mappings');
    assert(field.defaults.mappings?.length > 0 || own, where);
  });
});

test('NamesOfPanelsAreUniqueInTheirRow', () => {
  for (const dashboard of all) {
    const seen = new Map();
    let title = '';
    for (const panel of panelsOf(dashboard)) {
      if (isRow(panel)) {
        title = panel.title;
        continue;
      }
      const key = `${title} / ${panel.title}`;
      assert(!seen.has(key), `${dashboard.uid}: ${key}`);
      seen.set(key, panel);
    }
  }
});

test('NoWallOfPanels', () => {
  for (const dashboard of all) {
    // What is queried when the page is opened.
    const open = dashboard.panels.filter((panel) => !isRow(panel));
    assert(open.length <= 30, `${dashboard.uid}: ${open.length}`);
  }
});
