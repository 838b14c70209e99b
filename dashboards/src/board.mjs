// A dashboard out of rows of panels: variables, links to the others, events on
// the curves, and a place for each panel.
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import * as prometheus from '@grafana/grafana-foundation-sdk/prometheus';

import { scenarios, SOURCE } from './panels.mjs';
import { of, perRun } from './query.mjs';
import { family } from './vocabulary.mjs';

export const TAG = 'rlrun';

// `uid / title` of a panel -> scenarios that fill it (panels.mjs).
export const filledBy = new Map();
const WIDTH = 24;

export function dataSource() {
  return new dashboard.DatasourceVariableBuilder('datasource')
    .label('Data source')
    .description('The Prometheus that scrapes rlrun_exporter.')
    .type('prometheus')
    .current({ text: 'default', value: 'default' });
}

// Values of a label. `all`: what stands for every value; runs without a project
// have no such label, so that this must match nothing, too.
export function labelValues(options) {
  const { name, label, description, selector, many, all } = options;
  if (!selector.startsWith('{')) family(selector.replace(/\{.*/s, ''));
  const query = `label_values(${selector}, ${options.from ?? name})`;
  const variable = new dashboard.QueryVariableBuilder(name)
    .label(label)
    .description(description)
    .datasource(SOURCE)
    .query({ qryType: 1, query, refId: name })
    .definition(query)
    .refresh(dashboard.VariableRefresh.OnTimeRangeChanged)
    .sort(dashboard.VariableSort.AlphabeticalAsc)
    .multi(many ?? false);
  if (options.regex) variable.regex(options.regex);
  if (options.current) variable.current(options.current);
  if (!all) return variable.includeAll(false);
  variable.includeAll(true).allValue(all);
  if (options.current) return variable;
  return variable.current({ text: many ? ['All'] : 'All',
    value: many ? ['$__all'] : '$__all' });
}

// The run that a page is of, or several of them.
export function runVariables({ many = false } = {}) {
  return [
    dataSource(),
    labelValues({
      name: 'project',
      label: 'Project',
      description: 'All includes runs whose project is not known.',
      selector: 'rlrun_info',
      many,
      all: '.*',
    }),
    labelValues({
      name: 'run',
      label: many ? 'Runs' : 'Run',
      description: 'Runs that the exporter publishes in the time range.',
      selector: 'rlrun_info{project=~"$project"}',
      many,
      all: many ? '.+' : undefined,
    }),
  ];
}

function annotation(name, color, expr, title, shown = true) {
  return new dashboard.AnnotationQueryBuilder()
    .name(name)
    .datasource(SOURCE)
    .enable(shown)
    .hide(false)
    .iconColor(color)
    .expr(expr)
    .step('60s')
    .titleFormat(title)
    .textFormat('{{project}} {{run}}')
    .tagKeys('project,run')
    .useValueForTime(false)
    .target(new prometheus.DataqueryBuilder().refId('Anno').expr(expr)
      .interval('60s'));
}

// What happened to the run, for the curves of its page. Counted over two
// minutes, so that an event is one mark and none falls between two samples.
export function runEvents() {
  const happened = (name, matchers, by) =>
    perRun(`changes(${of(name, matchers)}[2m])`, by) + ' > 0';
  return [
    annotation('State changes', 'purple',
      `${happened('rlrun_state', '', 'state')} and ` +
      `${perRun(of('rlrun_state'), 'state')} == 1`, 'now {{state}}'),
    annotation('Signatures', 'red',
      happened('rlrun_signature_activations_total', '', 'signature'),
      '{{signature}} matched'),
    annotation('Validations', 'blue',
      happened('rlrun_last_step', 'line="val"', ''), 'validated'),
    annotation('Checkpoints', 'green',
      `${happened('rlrun_phase', 'phase="checkpoint_save"', '')} or ` +
      happened('rlrun_phase_seconds_total', 'phase="checkpoint_save"', ''),
      'checkpoint', false),
    annotation('Rewinds', 'orange', happened('rlrun_rewinds_total', '', ''),
      'resumed from an earlier step'),
  ];
}

// All dashboards, in the order of the links between them. Whether a page is of
// many runs or of one.
const PAGES = [
  ['rlrun-fleet', 'Fleet', 'many'],
  ['rlrun-run', 'Run', 'one'],
  ['rlrun-diagnosis', 'Diagnosis', 'one'],
  ['rlrun-trials', 'Trials', 'one'],
  ['rlrun-critic', 'Critic and SAO', 'one'],
  ['rlrun-compare', 'Compare', 'many'],
  ['rlrun-exporter', 'Exporter', 'many'],
];

// Links keep time and variables, except where these would be wrong: many runs
// on a page of one, and one run on Fleet, which is to show all.
function links(uid) {
  const [, , from] = PAGES.find(([each]) => each === uid);
  return PAGES.filter(([to]) => to !== uid).map(([to, title, kind]) => {
    const keeps = from === kind || (from === 'one' && to !== 'rlrun-fleet');
    return new dashboard.DashboardLinkBuilder(title)
      .type(dashboard.DashboardLinkType.Link)
      .url(`/d/${to}${keeps ? '' : '?${datasource:queryparam}'}`)
      .icon('dashboard')
      .tooltip(keeps ? 'For the same runs and times' : 'For the same times')
      .asDropdown(false)
      .targetBlank(false)
      .includeVars(keeps)
      .keepTime(true);
  });
}

// Places panels from left to right; a line is as high as its highest panel.
class Grid {
  x = 0;
  y = 0;
  height = 0;

  newLine() {
    this.y += this.height;
    this.x = 0;
    this.height = 0;
  }

  place({ w, h }) {
    if (this.x + w > WIDTH) this.newLine();
    const position = { x: this.x, y: this.y, w, h };
    this.x += w;
    this.height = Math.max(this.height, h);
    return position;
  }
}

// A row that is closed is not queried until it is opened.
export const row = (title, panels, collapsed = true) =>
  ({ title, panels, collapsed });

// rows: [row(..)...]; the first may have no title: it stands on top.
export function board(options) {
  const { uid, rows } = options;
  const out = new dashboard.DashboardBuilder(options.title)
    .uid(uid)
    .description(options.description)
    .tags([TAG, ...(options.tags ?? [])])
    .readonly()
    .timezone('browser')
    .time({ from: options.from ?? 'now-24h', to: 'now' })
    .refresh(options.refresh ?? '1m')
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .variables(options.variables)
    .links(links(uid));
  if (options.annotations) out.annotations(options.annotations);
  const grid = new Grid();
  let id = 0;
  const placed = (panel) => {
    const { gridPos, title } = panel.build();
    const filling = scenarios.get(panel) ?? options.scenario;
    if (filling) filledBy.set(`${uid} / ${title}`, [filling].flat());
    return panel.id(++id).gridPos(grid.place(gridPos));
  };
  for (const { title, panels, collapsed } of rows) {
    grid.newLine();
    if (!title) {
      panels.forEach((panel) => out.withPanel(placed(panel)));
      continue;
    }
    const header = new dashboard.RowBuilder(title).collapsed(collapsed)
      .id(++id).gridPos(grid.place({ w: WIDTH, h: 1 }));
    grid.newLine();
    const whole = panels.map(placed);
    if (collapsed) whole.forEach((panel) => header.withPanel(panel));
    out.withRow(header);
    if (!collapsed) whole.forEach((panel) => out.withPanel(panel));
  }
  return withoutLeftovers(out.build());
}

// What the SDK writes and Grafana's types have no place for.
function withoutLeftovers(dashboard) {
  for (const variable of dashboard.templating.list) {
    for (const name of ['auto', 'auto_min', 'auto_count']) delete variable[name];
  }
  const panels = dashboard.panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]);
  for (const panel of panels) {
    if (panel.type === 'table') delete panel.options.footer;
  }
  return dashboard;
}
