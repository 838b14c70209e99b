// The JSON against Grafana's own types: dashboards, and the options and field
// configuration of each panel, which a dashboard alone leaves open. Checked by
// tsc as literals, so that a property that Grafana does not know is an error.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { load, ROOT, shown } from './shipped.mjs';

const MODULES = join(ROOT, 'node_modules');
const SCHEMA = join(MODULES, '@grafana/schema/dist/types');

// Type of a panel -> folder of its types.
const PANELS = {
  stat: 'stat',
  table: 'table',
  timeseries: 'timeseries',
  bargauge: 'bargauge',
  heatmap: 'heatmap',
  xychart: 'xychart',
  text: 'text',
  'state-timeline': 'statetimeline',
  'status-history': 'statushistory',
};
// Of these there is no type of the field configuration.
const PLAIN = ['stat', 'bargauge', 'text'];

// Where the model of Grafana is looser than its types.
const HEAD = `
import type { Dashboard as AnyDashboard, AnnotationQuery, VariableModel }
  from '@grafana/schema';
// Enumerations are written as their values.
type Json<T> = T extends string ? \`\${T}\` : T extends number | boolean ? T
  : T extends unknown[] ? Json<T[number]>[]
  : T extends object ? { [K in keyof T]: Json<T[K]> } : T;
// Prometheus' own part of an annotation, from before annotations had targets;
// its query is a Dataquery of Prometheus.
type Annotation = AnnotationQuery & { step?: string; titleFormat?: string;
  textFormat?: string; tagKeys?: string; useValueForTime?: boolean;
  expr?: string; target?: { expr?: string; interval?: string } };
// What the list of variables shows of a query.
type Variable = VariableModel & { definition?: string };
type Dashboard = Omit<AnyDashboard, 'annotations' | 'templating'> & {
  annotations?: { list?: Annotation[] }; templating?: { list?: Variable[] } };
`;

// Grafana's editor of state timelines has it, its type has not.
const MORE = { 'state-timeline': ' & { spanNulls?: boolean | number }' };

const literal = (value) => JSON.stringify(value);

function program(dashboards) {
  const out = [HEAD];
  for (const folder of Object.values(PANELS)) {
    out.push(`import type * as ${folder} from '${
      join(SCHEMA, 'raw/composable', folder, 'panelcfg/x/types.gen')}';`);
  }
  dashboards.forEach((dashboard, at) => {
    out.push(`export const d${at}: Json<Dashboard> = ${literal(dashboard)};`);
    shown(dashboard).forEach((panel, index) => {
      const folder = PANELS[panel.type];
      assert(folder, panel.type);
      const name = `d${at}p${index}`;
      out.push(`// ${dashboard.uid} / ${panel.title}`,
        `export const ${name}: Json<${folder}.Options> = ${
          literal(panel.options ?? {})};`);
      const custom = panel.fieldConfig?.defaults.custom;
      if (PLAIN.includes(panel.type)) {
        assert(!custom, `${dashboard.uid} / ${panel.title}`);
      } else if (custom) {
        out.push(`export const ${name}c: Json<${folder}.FieldConfig${
          MORE[panel.type] ?? ''}> = ${literal(custom)};`);
      }
    });
  });
  return out.join('\n');
}

// What tsc says of it; empty: nothing.
function compile(text) {
  const folder = mkdtempSync(join(tmpdir(), 'rlrun_types.'));
  try {
    writeFileSync(join(folder, 'dashboards.ts'), text);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        target: 'es2022',
        module: 'esnext',
        moduleResolution: 'bundler',
        types: [],
        paths: { '@grafana/schema': [join(SCHEMA, 'index.d.ts')] },
      },
      files: ['dashboards.ts'],
    }));
    const tsc = join(MODULES, 'typescript/bin/tsc');
    const { stdout, status } = spawnSync(process.execPath,
      [tsc, '-p', folder], { encoding: 'utf8', maxBuffer: 1 << 26 });
    return status === 0 ? '' : stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const all = load();

test('DashboardsAreOfTheTypesOfGrafana', () => {
  assert.equal(compile(program(all)), '');
});

test('WrongTypesAreSeen', () => {
  const broken = structuredClone(all.find(({ uid }) => uid === 'rlrun-compare'));
  const panel = shown(broken).find(({ type }) => type === 'timeseries');
  panel.options.legend.placement = 'left';
  panel.fieldConfig.defaults.custom.spanNull = false;
  broken.refesh = '1m';
  const said = compile(program([broken]));
  for (const word of ['"left"', 'spanNull', 'refesh']) {
    assert(said.includes(word), `${word}: ${said}`);
  }
});
