// Panels as these dashboards use them: current types, gaps that stay gaps, a
// description on each, bounds as dashed red lines. A panel is a builder of
// Grafana's SDK with its size; dashboard.mjs gives it a place.
import * as common from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import * as prometheus from '@grafana/grafana-foundation-sdk/prometheus';
import * as bargauge from '@grafana/grafana-foundation-sdk/bargauge';
import * as heatmapPanel from '@grafana/grafana-foundation-sdk/heatmap';
import * as statPanel from '@grafana/grafana-foundation-sdk/stat';
import * as statetimeline from '@grafana/grafana-foundation-sdk/statetimeline';
import * as statushistory from '@grafana/grafana-foundation-sdk/statushistory';
import * as tablePanel from '@grafana/grafana-foundation-sdk/table';
import * as textPanel from '@grafana/grafana-foundation-sdk/text';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import * as xychart from '@grafana/grafana-foundation-sdk/xychart';
import { bound, one } from './query.mjs';
import { check } from './vocabulary.mjs';

// Panel -> scenarios of tests/scenarios that fill it, where the usual runs of the
// tests do not.
export const scenarios = new Map();

export const SOURCE = { type: 'prometheus', uid: '${datasource}' };
const MIN_INTERVAL = '15s';

// A query over the time range.
export const q = (expr, legend) => ({ expr, legend });
// The newest value only.
export const now = (expr, legend = '__auto') => ({ expr, legend, instant: true });
// The newest values as rows of a table.
export const rows = (expr) => ({ expr, instant: true, table: true });
// All values as rows of a table.
const history = (expr) => ({ expr, table: true });

const letter = (index) => String.fromCharCode('A'.charCodeAt(0) + index);

function target(query, index) {
  const out = new prometheus.DataqueryBuilder()
    .refId(letter(index))
    .datasource(SOURCE)
    .editorMode(prometheus.QueryEditorMode.Code)
    .expr(query.expr);
  if (query.instant) out.instant();
  else out.range();
  if (query.legend) out.legendFormat(query.legend);
  if (query.table) out.format(prometheus.PromQueryFormat.Table);
  if (query.heatmap) out.format(prometheus.PromQueryFormat.Heatmap);
  return out;
}

function base(builder, options) {
  const { title, description, queries = [], width = 8, height = 8 } = options;
  builder.title(title).description(description).datasource(SOURCE)
    .span(width).height(height).interval(MIN_INTERVAL);
  queries.forEach((query, index) => builder.withTarget(target(query, index)));
  if (options.scenario) scenarios.set(builder, [options.scenario].flat());
  for (const override of options.overrides ?? []) {
    builder.withOverride(override);
  }
  if (options.unit) builder.unit(options.unit);
  if (options.decimals !== undefined) builder.decimals(options.decimals);
  if (options.min !== undefined) builder.min(options.min);
  if (options.max !== undefined) builder.max(options.max);
  if (options.mappings) builder.mappings(options.mappings);
  if (options.noValue) builder.noValue(options.noValue);
  if (options.thresholds) builder.thresholds(thresholds(options.thresholds));
  if (options.repeat) {
    builder.repeat(options.repeat).repeatDirection('h').maxPerRow(3);
  }
  for (const transformation of options.transformations ?? []) {
    builder.withTransformation(transformation);
  }
  return builder;
}

// [[from, colour]...]; the first `from` is null: the base.
function thresholds(steps) {
  return new dashboard.ThresholdsConfigBuilder()
    .mode(dashboard.ThresholdsMode.Absolute)
    .steps(steps.map(([value, color]) => ({ value, color })));
}

const colour = (mode) => new dashboard.FieldColorBuilder().mode(mode);

const tooltip = () => new common.VizTooltipOptionsBuilder()
  .mode(common.TooltipDisplayMode.Multi).sort(common.SortOrder.Descending);

function legend(show, calcs) {
  return new common.VizLegendOptionsBuilder()
    .showLegend(show)
    .displayMode(calcs ? common.LegendDisplayMode.Table
      : common.LegendDisplayMode.List)
    .placement(common.LegendPlacement.Bottom)
    .calcs(calcs ? ['lastNotNull'] : []);
}

export const byName = (name, ...properties) => ({
  matcher: { id: 'byName', options: name },
  properties: properties.map(([id, value]) => ({ id, value })),
});
export const byRegexp = (pattern, ...properties) => ({
  matcher: { id: 'byRegexp', options: pattern },
  properties: properties.map(([id, value]) => ({ id, value })),
});

const BOUND = /^bound/;
const boundStyle = byRegexp('/^bound/',
  ['color', { mode: 'fixed', fixedColor: 'red' }],
  ['custom.lineStyle', { fill: 'dash', dash: [8, 8] }],
  ['custom.lineWidth', 1], ['custom.fillOpacity', 0],
  ['custom.showPoints', 'never'],
  ['custom.stacking', { mode: 'none', group: 'A' }]);

// What a check says of a value, for the description of its panel.
export function meaning(name) {
  const row = check(name);
  const steps = row.alert_after === 1 ? 'at once'
    : `after ${row.alert_after} steps in a row`;
  return `Outside the dashed bound (check ${name}, fails ${steps}): ${row.means}`;
}

// Curves over time. `checks`: their bounds are drawn and their words said.
// `band`: min and max become a band around the mean.
export function curves(options) {
  const checks = options.checks ?? [];
  const many = checks.length > 1;
  const queries = [...options.queries, ...checks.map((name) =>
    q(one(bound(name)), many ? `bound ${name} ({{bound}})` : 'bound ({{bound}})'))];
  const overrides = [...(options.overrides ?? [])];
  if (queries.some((query) => BOUND.test(query.legend))) overrides.push(boundStyle);
  if (options.band) {
    overrides.push(
      byName('max', ['custom.lineWidth', 0], ['custom.fillBelowTo', 'min'],
        ['custom.fillOpacity', 12]),
      byName('min', ['custom.lineWidth', 0]));
  }
  const description =
    [options.description, ...checks.map(meaning)].filter(Boolean).join('\n\n');
  const panel = base(new timeseries.PanelBuilder(),
    { ...options, description, queries, overrides })
    .colorScheme(colour('palette-classic-by-name'))
    .lineWidth(options.lineWidth ?? 1)
    .fillOpacity(options.stack ? 60 : 0)
    .drawStyle(options.bars ? common.GraphDrawStyle.Bars
      : common.GraphDrawStyle.Line)
    .lineInterpolation(common.LineInterpolation.Linear)
    .showPoints(common.VisibilityMode.Auto)
    .pointSize(4)
    .spanNulls(false)
    .tooltip(tooltip())
    .legend(legend(true, options.legendTable));
  if (options.stack) {
    panel.stacking(new common.StackingConfigBuilder()
      .mode(options.stack === 'percent' ? common.StackingMode.Percent
        : common.StackingMode.Normal).group('A'));
  }
  if (options.log) {
    panel.scaleDistribution(new common.ScaleDistributionConfigBuilder()
      .type(common.ScaleDistribution.Log).log(10));
  }
  if (options.centered) panel.axisCenteredZero(true);
  return panel;
}

// Points against the training step. The last query is the step; its legend is
// `step`. Queries of one run are joined by time.
export function bySteps(options) {
  return xy({
    ...options,
    transformations: [
      { id: 'joinByField', options: { byField: 'Time', mode: 'outer' } }],
  });
}

// The same of several runs: `steps` and `values` have labels project and run,
// which become one, so that each run is a frame with a short name.
export function runsBySteps({ steps, values, ...options }) {
  const named = (expr) =>
    `max by (name) (label_join(${expr}, "name", " ", "project", "run"))`;
  return xy({
    ...options,
    queries: [history(named(steps)), history(named(values))],
    transformations: [
      { id: 'merge', options: {} },
      {
        id: 'organize',
        options: {
          excludeByName: { Time: true },
          renameByName: { 'Value #A': 'step', 'Value #B': 'Value' },
          indexByName: {},
        },
      },
      {
        id: 'partitionByValues',
        options: {
          fields: ['name'],
          keepFields: false,
          naming: { asLabels: true },
        },
      },
    ],
  });
}

function xy(options) {
  return base(new xychart.PanelBuilder(), {
    ...options,
    overrides: [
      byName('step', ['unit', 'none'], ['decimals', 0],
        ['custom.axisLabel', 'training step']),
      ...(options.overrides ?? [])],
  })
    .colorScheme(colour('palette-classic-by-name'))
    .show(xychart.XYShowMode.PointsAndLines)
    .pointSize({ fixed: 4 })
    .fillOpacity(60)
    .lineWidth(1)
    .mapping(xychart.SeriesMapping.Auto)
    .series([new xychart.XYSeriesConfigBuilder()
      .x({ matcher: { id: 'byName', options: 'step' } })])
    .tooltip(new common.VizTooltipOptionsBuilder()
      .mode(common.TooltipDisplayMode.Single).sort(common.SortOrder.None))
    .legend(legend(true, false));
}

export const NAME = common.BigValueTextMode.Name;
export const VALUE_AND_NAME = common.BigValueTextMode.ValueAndName;

// Numbers or words, coloured by their mapping or thresholds. `names`: what is
// shown of the name of a series; by default, where there are several.
export function stat(options) {
  const panel = base(new statPanel.PanelBuilder(),
    { width: 3, height: 4, noValue: 'n/a', ...options })
    .colorScheme(colour(options.neutral ? 'fixed' : 'thresholds'))
    .graphMode(options.graph ? common.BigValueGraphMode.Area
      : common.BigValueGraphMode.None)
    .colorMode(options.neutral ? common.BigValueColorMode.None
      : common.BigValueColorMode.Background)
    .justifyMode(common.BigValueJustifyMode.Center)
    .textMode(options.names ?? common.BigValueTextMode.Auto)
    .reduceOptions(new common.ReduceDataOptionsBuilder()
      .calcs(['lastNotNull']).fields('').values(false));
  if (!options.thresholds) panel.thresholds(thresholds([[null, 'text']]));
  return panel;
}

// A bar per series, with its number.
export function bars(options) {
  return base(new bargauge.PanelBuilder(), options)
    .colorScheme(colour('thresholds'))
    .displayMode(common.BarGaugeDisplayMode.Basic)
    .orientation(common.VizOrientation.Horizontal)
    .showUnfilled(false)
    .valueMode(common.BarGaugeValueMode.Text)
    .thresholds(thresholds(options.thresholds ?? [[null, 'blue']]))
    .reduceOptions(new common.ReduceDataOptionsBuilder()
      .calcs(['lastNotNull']).fields('').values(false));
}

// Numbers that stand for states, over time; a row per series.
export function timeline(options) {
  return base(new statetimeline.PanelBuilder(), { unit: 'none', ...options })
    .colorScheme(colour('thresholds'))
    .thresholds(thresholds([[null, 'text']]))
    .mergeValues(true)
    .showValue(common.VisibilityMode.Never)
    .rowHeight(0.85)
    .spanNulls(false)
    .lineWidth(0)
    .fillOpacity(80)
    .perPage(60)
    .tooltip(tooltip())
    .legend(legend(options.legend ?? true, false));
}

// Numbers in cells of a fixed width, coloured by thresholds.
export function strip(options) {
  return base(new statushistory.PanelBuilder(), options)
    .colorScheme(colour('thresholds'))
    .maxDataPoints(60)
    .showValue(common.VisibilityMode.Never)
    .rowHeight(0.85)
    .colWidth(0.95)
    .lineWidth(0)
    .fillOpacity(80)
    .tooltip(tooltip())
    .legend(legend(true, false));
}

export function heatmap(options) {
  const panel = base(new heatmapPanel.PanelBuilder(), {
    ...options,
    queries: options.queries.map((query) => ({ ...query, heatmap: true })),
  })
    .calculate(false)
    .maxDataPoints(120)
    .cellGap(1)
    .color(new heatmapPanel.HeatmapColorOptionsBuilder()
      .mode(heatmapPanel.HeatmapColorMode.Scheme).scheme('Blues')
      .fill('dark-blue').scale(heatmapPanel.HeatmapColorScale.Exponential)
      .exponent(0.5).reverse(false).steps(64))
    .yAxis(new heatmapPanel.YAxisConfigBuilder().unit(options.unit)
      .decimals(options.decimals ?? 0))
    .filterValues(new heatmapPanel.FilterValueRangeBuilder().le(1e-9))
    .showLegend();
  return panel;
}

// A table of instant queries that are merged by their common labels.
// `columns`: [field, title, width, override properties...], in order; other
// fields are hidden. `sort`: [[title, descending]...].
export function table(options) {
  const { columns, sort = [], hidden = [] } = options;
  const indexByName = {};
  const renameByName = {};
  columns.forEach(([field, title], index) => {
    indexByName[field] = index;
    renameByName[field] = title;
  });
  const excludeByName = { Time: true };
  for (const field of hidden) excludeByName[field] = true;
  // The value of the only query that has data carries no letter.
  const [first] = columns.filter(([field]) => field === 'Value #A');
  if (first) {
    indexByName.Value = indexByName['Value #A'];
    renameByName.Value = first[1];
  } else if (hidden.includes('Value #A')) {
    excludeByName.Value = true;
  }
  const overrides = columns
    .map(([, title, width, ...properties]) => byName(title,
      ...(width ? [['custom.width', width]] : []), ...properties))
    .filter((override) => override.properties.length > 0);
  return base(new tablePanel.PanelBuilder(), {
    ...options,
    overrides,
    transformations: [
      { id: 'merge', options: {} },
      { id: 'organize', options: { excludeByName, indexByName, renameByName } }],
  })
    .thresholds(thresholds([[null, 'text']]))
    .cellHeight(common.TableCellHeight.Sm)
    .cellOptions({ type: 'auto' })
    .filterable(options.filterable ?? false)
    .sortBy(sort.map(([title, desc]) =>
      new common.TableSortByFieldStateBuilder().displayName(title).desc(desc)));
}

// Overrides of a column that shows states, or a link.
export const coloured = ['custom.cellOptions',
  { type: 'color-background', mode: 'basic' }];
export const link = (title, url) => ['links', [{ title, url }]];
export const toRun = (uid) => `/d/${uid}?` +
  'var-project=${__data.fields.project}&var-run=${__data.fields.run}' +
  '&${datasource:queryparam}&${__url_time_range}';

// From a page of one run to another one.
export const toSame = (uid) => `/d/${uid}?` +
  '${project:queryparam}&${run:queryparam}' +
  '&${datasource:queryparam}&${__url_time_range}';

export function text(options) {
  return new textPanel.PanelBuilder().title(options.title)
    .description(options.description)
    .span(options.width ?? 24).height(options.height ?? 8)
    .mode(textPanel.TextMode.Markdown).content(options.content);
}
