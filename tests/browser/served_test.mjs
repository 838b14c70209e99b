// What the real exporter serves beside its pages: the API against its schema,
// `status --url` against the ledgers, and no log text where none is wanted.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv';
import { serve } from './exporter.mjs';
import { Findings, options } from './options.mjs';
import { MARK, runPath as path, writeRuns } from './runs.mjs';

const { exporter, generator, source } = options('exporter', 'generator', 'source');
const findings = new Findings();
let answers = 0;

async function get(url, headers = {}) {
  const response = await fetch(url, { headers });
  answers += 1;
  return { status: response.status, type: response.headers.get('content-type'), body: await response.text() };
}

function run(args) {
  return new Promise((resolve) => {
    const child = spawn(exporter, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout.on('data', (bytes) => { out += bytes; });
    child.stderr.on('data', (bytes) => { err += bytes; });
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

function schemas() {
  // Ajv knows no draft 4; what the schema uses of it is the same in draft 7.
  const { $schema, ...schema } = JSON.parse(
    readFileSync(join(source, 'exporter/report/status.schema.json'), 'utf8'));
  const ajv = new Ajv({ strict: false, allErrors: true });
  ajv.addSchema(schema, 'status');
  return {
    check(reference, text, where) {
      let value;
      try {
        value = JSON.parse(text);
      } catch (error) {
        findings.add(where, `no JSON: ${error.message}`);
        return undefined;
      }
      const validate = ajv.getSchema(reference);
      if (!validate(value)) findings.add(where, ajv.errorsText(validate.errors.slice(0, 5)));
      return value;
    },
  };
}

async function testApi(url) {
  const schema = schemas();
  const all = await get(`${url}/api/v1/runs`);
  findings.check(all.type === 'application/json', '/api/v1/runs', `is ${all.type}`);
  const { runs } = schema.check('status', all.body, '/api/v1/runs');
  for (const r of runs) {
    const one = await get(`${url}/api/v1/runs/${path(r)}`);
    findings.check(one.status === 200, r.run, `status ${one.status}`);
    const document = schema.check('status', one.body, r.run);
    findings.check(document?.runs.length === 1 && document.runs[0].run === r.run && document.runs[0].project === r.project, r.run, 'is another run');
  }
  const missing = await get(`${url}/api/v1/runs/lab/kl_blowap`);
  findings.check(missing.status === 404, 'a misspelt name', `status ${missing.status}`);
  const error = schema.check('status#/definitions/error', missing.body, 'a misspelt name');
  findings.check(error?.near.some((n) => n.run === 'kl_blowup'), 'a misspelt name', missing.body);
  return runs;
}

async function testStatusUrl(url, rows) {
  for (const name of ['kl_blowup', 'trainer_crash', 'healthy', 'healthy-sao', 'nan_inf-critical']) {
    const row = rows.find((r) => r.scenario === name);
    const result = await run(['status', `--url=${url}`, `--run=lab/${name}`]);
    findings.check(result.code === row.exit_code, `status ${name}`, `${result.code}: ${result.err}`);
    findings.check(result.out.startsWith(`## harbor status — lab/${name}\n`), `status ${name}`, result.out);
  }
  const json = await run(['status', `--url=${url}/`, '--format=json', '--run=lab/kl_blowup']);
  schemas().check('status', json.out, 'status --url --format=json');
  const near = await run(['status', `--url=${url}`, '--run=kl_blowap']);
  findings.check(near.code === 3 && near.err.includes('lab/kl_blowup'), 'a misspelt --run', near.err);
  const everything = await run(['status', `--url=${url}`, '--format=markdown']);
  findings.check(everything.code === 2, 'status --url', `${everything.code}: ${everything.err}`);
  for (const option of ['--tail=3', '--at=0', '/tmp']) {
    const wrong = await run(['status', `--url=${url}`, option]);
    findings.check(wrong.code === 64 && wrong.err.includes('--url'), option, `${wrong.code} ${wrong.err}`);
  }
}

// What `status` says while an exporter has not read all of its runs yet: the
// answer of a real one that says so.
async function testFirstPass(url) {
  const all = JSON.parse((await get(`${url}/api/v1/runs`)).body);
  const body = JSON.stringify({ ...all, partial: true });
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const there = `--url=http://127.0.0.1:${server.address().port}`;
  const says = /first pass over the files: more runs may follow/;
  try {
    const whole = await run(['status', `--url=${url}`, '--run=lab/healthy']);
    const text = await run(['status', there, '--run=lab/healthy']);
    findings.check(says.test(text.out) && !says.test(whole.out), 'the first pass', text.out);
    findings.check(text.code === whole.code, 'the first pass', `exit code ${text.code}`);
    const json = await run(['status', there, '--run=lab/healthy', '--format=json']);
    const document = schemas().check('status', json.out, 'the first pass');
    findings.check(document?.partial === true, 'the first pass', json.out.slice(0, 200));
    const missing = await run(['status', there, '--run=lab/not-yet']);
    findings.check(missing.code === 3 && says.test(missing.err), 'the first pass', missing.err);
  } finally {
    server.close();
  }
}

// Everything that is served of the runs, as one text.
async function everything(url, runs) {
  const paths = ['/', '/api/v1/runs', '/runs/lab/no-such-run', '/api/v1/runs/lab/no-such-run'];
  for (const r of runs) paths.push(`/runs/${path(r)}`, `/api/v1/runs/${path(r)}`);
  let text = '';
  for (const p of paths) text += (await get(url + p)).body;
  const { out } = await run(['status', `--url=${url}`]);
  return text + out;
}

const QUOTED = [MARK, 'No space left on device', 'the batch is balanced', 'Traceback'];

const dir = mkdtempSync(join(tmpdir(), 'rlrun-served-'));
const servers = [];
try {
  const rows = writeRuns(generator, dir);
  const roots = ['runs', 'tree', 'evil'].map((name) => join(dir, name));
  const open = await serve(exporter, roots);
  servers.push(open);
  const runs = await testApi(open.url);
  findings.check(runs.length >= rows.length, '/api/v1/runs', `${runs.length} runs`);
  await testStatusUrl(open.url, rows);
  await testFirstPass(open.url);
  const shown = await everything(open.url, runs);
  for (const text of QUOTED.slice(0, 3)) {
    findings.check(shown.includes(text), 'log text', `${text} is not shown: the test sees nothing`);
  }
  const closed = await serve(exporter, ['--web.show-log-text=false', ...roots]);
  servers.push(closed);
  const hidden = await everything(closed.url, runs);
  for (const text of QUOTED) {
    const at = hidden.indexOf(text);
    findings.check(at < 0, '--web.show-log-text=false', hidden.slice(Math.max(0, at - 200), at + 200));
  }
  findings.check(hidden.includes('trainer_crash'), '--web.show-log-text=false', 'findings are gone too');
  const grafana = await serve(exporter, ['--web.grafana-url=https://grafana.example.org/g/',
    '--web.runbook-url=https://wiki.example.org/r', roots[0]]);
  servers.push(grafana);
  const linked = (await get(`${grafana.url}/runs/lab/kl_blowup`)).body;
  for (const link of ['https://grafana.example.org/g/d/rlrun-run?var-project=lab&amp;var-run=kl_blowup',
    'https://wiki.example.org/r/RLRunKlBlowup.md']) {
    findings.check(linked.includes(`href="${link}"`), 'links', `no ${link}`);
  }
} catch (error) {
  findings.add('the test', error.stack || error);
} finally {
  for (const server of servers) await server.stop();
  rmSync(dir, { recursive: true, force: true });
}
findings.report(`${answers} answers`);
