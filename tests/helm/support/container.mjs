// Runs the command of a rendered container as the real binary, over a tree laid
// out like its mounts below a folder: every absolute path that lies in a mount
// is looked for below that folder. As root it runs as the user and groups of
// the manifest, without any right of root.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import yaml from 'js-yaml';
import {containerOf, exporter, ofKind, podOf} from './helm.mjs';

const START_SECONDS = 60;

// The files of a ConfigMap or Secret: of the rendering, else of `others`.
function filesOf(volume, docs, others) {
  const name = volume.configMap?.name ?? volume.secret?.secretName;
  const map = ofKind(docs, 'ConfigMap').find(d => d.metadata.name === name);
  const files = map?.data ?? others[name];
  assert.ok(files, `nobody knows what ${name} holds`);
  return files;
}

export class Container {
  // `writeLogs(dir)` fills a mount of logs, `others` are Secrets and ConfigMaps
  // by name that the chart does not make.
  constructor(docs, {writeLogs, others = {}, podName = 'ci-0'}) {
    this.pod = podOf(docs).spec;
    this.container = containerOf(docs);
    this.podName = podName;
    this.root = fs.mkdtempSync(path.join(os.tmpdir(), 'rlrun-container-'));
    fs.chmodSync(this.root, 0o755);
    this.mounts = this.container.volumeMounts.map(m => m.mountPath);
    for (const mount of this.container.volumeMounts) {
      const volume = this.pod.volumes.find(v => v.name === mount.name);
      const dir = path.join(this.root, mount.mountPath);
      fs.mkdirSync(dir, {recursive: true});
      if (volume.configMap || volume.secret) {
        const files = filesOf(volume, docs, others);
        for (const [name, text] of Object.entries(files)) {
          fs.writeFileSync(path.join(dir, name), this.relocated(text));
        }
      } else if (volume.emptyDir) {
        fs.chmodSync(dir, 0o777);
      } else {
        assert.equal(mount.readOnly, true);
        writeLogs(dir);
        this.logs = dir;
      }
    }
    fs.mkdirSync(path.join(this.root, 'bin'));
    this.binary = path.join(this.root, 'bin', 'rlrun_exporter');
    try {
      fs.linkSync(exporter, this.binary);  // saves copying what is large
    } catch {
      fs.copyFileSync(exporter, this.binary);
    }
  }

  // A path of the container as one of this machine.
  hostPath(file) {
    const inside = this.mounts.some(m => file === m || file.startsWith(`${m}/`));
    return inside ? path.join(this.root, file) : file;
  }

  // A configuration whose roots are below the folder; other text as it is.
  relocated(text) {
    if (!/^roots:/m.test(text)) return text;
    const config = yaml.load(text);
    for (const root of config.roots) root.path = this.hostPath(root.path);
    return yaml.dump(config);
  }

  arguments() {
    return this.container.args.map(arg => {
      const text = arg.replaceAll('$(POD_NAME)', this.podName);
      if (text === '--web.listen-address=:10190') {
        return '--web.listen-address=127.0.0.1:0';
      }
      const [name, value] = text.split(/=(.*)/s);
      return value === undefined ? text : `${name}=${this.hostPath(value)}`;
    });
  }

  command() {
    const words = [this.binary, ...this.arguments()];
    // The kernel ends it with us, even where we are killed.
    const ends = ['setpriv', '--pdeathsig=KILL'];
    if (process.getuid() !== 0) return [...ends, ...words];
    const user = this.pod.securityContext;
    const groups = user.supplementalGroups ?? [];
    return [
      ...ends, `--reuid=${user.runAsUser}`, `--regid=${user.runAsGroup}`,
      groups.length ? `--groups=${groups.join(',')}` : '--clear-groups',
      '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', ...words
    ];
  }

  // Starts it and waits until its readiness probe would succeed.
  async start(scheme = 'http') {
    const [file, ...args] = this.command();
    this.process = spawn(file, args, {
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {PATH: process.env.PATH},
    });
    this.stderr = '';
    this.ended = new Promise(
        resolve => this.process.once('exit', (code, signal) => resolve(code ?? signal)));
    this.process.stderr.setEncoding('utf8');
    await new Promise((resolve, reject) => {
      const timer = setTimeout(
          () => reject(new Error(`not listening:\n${this.stderr}`)), START_SECONDS * 1000);
      this.process.stderr.on('data', text => {
        this.stderr += text;
        const found = this.stderr.match(/url"?[=:]"?(https?:\/\/[^\s",}]+)/);
        if (!found) return;
        this.url = found[1].replace(/\/$/, '');
        clearTimeout(timer);
        resolve();
      });
      this.ended.then(code => {
        clearTimeout(timer);
        reject(new Error(`ended with ${code}:\n${this.stderr}`));
      });
    });
    assert.ok(this.url.startsWith(`${scheme}://`), this.url);
  }

  async waitUntilReady() {
    const {path: probe} = this.container.readinessProbe.httpGet;
    for (let tries = START_SECONDS * 20; tries > 0; --tries) {
      if ((await fetch(this.url + probe)).ok) return;
      await new Promise(resolve => setTimeout(resolve, 50));
    }
    throw new Error(`not ready:\n${this.stderr}`);
  }

  async get(route) {
    const answer = await fetch(this.url + route);
    assert.equal(answer.status, 200, route);
    return answer.text();
  }

  // Ends it as kubelet does; returns its exit code.
  async stop() {
    if (!this.process) return undefined;
    this.process.kill('SIGTERM');
    return this.ended;
  }

  async remove() {
    if (this.process?.exitCode === null && this.process.signalCode === null) {
      this.process.kill('SIGKILL');
      await this.ended;
    }
    fs.rmSync(this.root, {recursive: true});
  }
}
