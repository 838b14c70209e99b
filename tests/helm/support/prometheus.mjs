// A real Prometheus on a free loopback port that scrapes given URLs each second.
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import yaml from 'js-yaml';
import {peersDir} from './helm.mjs';

const WAIT_SECONDS = 60;

export async function startPrometheus(urls) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'rlrun-prometheus-'));
  const config = path.join(dir, 'prometheus.yaml');
  fs.writeFileSync(config, yaml.dump({
    global: {scrape_interval: '1s'},
    scrape_configs: [{
      job_name: 'rlrun-exporter',
      static_configs: [{targets: urls.map(url => new URL(url).host)}],
    }],
  }));
  const process = spawn('setpriv', [
    '--pdeathsig=KILL', path.join(peersDir, 'usr/bin/prometheus'),
    `--config.file=${config}`, `--storage.tsdb.path=${dir}/data`,
    '--web.listen-address=127.0.0.1:0'
  ], {stdio: ['ignore', 'ignore', 'pipe']});
  const ended = new Promise(resolve => process.once('exit', resolve));

  const remove = async () => {
    process.kill('SIGTERM');
    await ended;
    fs.rmSync(dir, {recursive: true});
  };
  let log = '';
  const url = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(log)), WAIT_SECONDS * 1000);
    process.stderr.setEncoding('utf8');
    process.stderr.on('data', text => {
      log += text;
      const found = log.match(/msg="Listening on" address=([0-9.:]+)/);
      if (!found) return;
      clearTimeout(timer);
      resolve(`http://${found[1]}`);
    });
    ended.then(() => {
      clearTimeout(timer);
      reject(new Error(log));
    });
  }).catch(async error => {
    await remove();
    throw error;
  });

  // The series of an instant query.
  const query = async expression => {
    const answer = await fetch(
        `${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
    return answer.ok ? (await answer.json()).data.result : [];
  };
  // Asks until the only series of `expression` has this value.
  const waitFor = async (expression, value) => {
    let series;
    for (let tries = WAIT_SECONDS * 10; tries > 0; --tries) {
      series = await query(expression);
      if (series.length === 1 && series[0].value[1] === value) return;
      await new Promise(resolve => setTimeout(resolve, 100));
    }
    throw new Error(`${expression} is ${JSON.stringify(series)}, not ${value}`);
  };
  return {url, query, waitFor, remove};
}
