// What is rendered: whether a cluster would take it, and whether it is safe.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {containerOf, ofKind, podOf, render, scenarios, workloadOf} from './support/helm.mjs';
import {titleOf, typeErrors, validatorErrors} from './support/kinds.mjs';

const rendered = new Map(scenarios().map(name => [name, render(name)]));
const everything = [...rendered.values()].flat();

// Checks every scenario on its own, so that a failure names it.
async function each(t, check) {
  for (const [name, docs] of rendered) {
    await t.test(name, () => check(docs, name));
  }
}

// `keep_firing_for` is of operator 0.66 (2023); the types are older.
function withoutNewerKeys(manifest) {
  if (manifest.kind !== 'PrometheusRule') return manifest;
  const copy = structuredClone(manifest);
  for (const group of copy.spec.groups) {
    for (const rule of group.rules) delete rule.keep_firing_for;
  }
  return copy;
}

test('EveryManifestIsValid', () => {
  const manifests = everything.map(withoutNewerKeys);
  assert.deepEqual(validatorErrors(manifests), []);
  assert.deepEqual(typeErrors(manifests), []);
});

test('AnUnknownKeyOfAnyKindIsFound', () => {
  const kinds = [...new Map(everything.map(d => [d.kind, d])).values()];
  assert.ok(kinds.length >= 10, String(kinds.map(k => k.kind)));
  const wrong = kinds.map(k => structuredClone(withoutNewerKeys(k)));
  for (const manifest of wrong) {
    (manifest.spec ?? manifest.metadata).noSuchKey = 1;
  }
  const found = typeErrors(wrong).join('\n');
  for (const manifest of wrong) {
    assert.ok(found.includes(`${titleOf(manifest)}: `), titleOf(manifest));
  }
});

test('AKeyOfAWrongTypeIsFound', () => {
  const wrong = structuredClone(ofKind(everything, 'Deployment')[0]);
  wrong.spec.replicas = 'two';
  assert.equal(validatorErrors([wrong]).length, 1);
  assert.equal(typeErrors([wrong]).length, 1);
});

test('NamesAreUniqueAndShortEnough', t => each(t, docs => {
  const names = docs.map(d => `${d.kind}/${d.metadata.namespace}/${d.metadata.name}`);
  assert.equal(new Set(names).size, names.length, names.join(' '));
  for (const d of docs) assert.ok(d.metadata.name.length <= 253);
}));

test('ALongReleaseNameIsCut', () => {
  const docs = render('shards', {}, 'r'.repeat(53));
  const name = workloadOf(docs).metadata.name;
  assert.ok(name.length <= 52, name);
  assert.equal(ofKind(docs, 'Service')[0].metadata.name, name);
});

// YAML takes all of these for something else than a text.
const ODD_NAMES = ['12345', 'true', 'null', 'on', '1e5', '0x10', '1.5', '9abc', 'a.b', 'y'];
test('NamesThatLookLikeNumbersStayNames', async t => {
  const values = {
    nameOverride: '123',
    serviceAccount: {create: false, name: '123'},
    existingConfig: {configMap: '123'},
    webConfig: {secretName: '1e5'},
    priorityClassName: '1',
    logs: [{name: '7', existingClaim: '77'}],
    serviceMonitor: {enabled: true},
    commonLabels: {team: 'true'},
  };
  for (const release of ODD_NAMES) {
    await t.test(release, () => {
      const docs = [
        ...render('monitoring', {}, release, '123'), ...render(null, values, release, '1e5'),
        ...render('secret', {existingConfig: {secret: '1'}}, release),
        ...render('shards', {serviceMonitor: {enabled: false}, podMonitor: {enabled: true}}, release),
      ].map(withoutNewerKeys);
      assert.deepEqual(validatorErrors(docs), []);
      assert.deepEqual(typeErrors(docs), []);
      for (const doc of docs) {
        assert.equal(doc.metadata.labels['app.kubernetes.io/instance'], release);
        assert.equal(typeof doc.metadata.name, 'string');
        assert.equal(typeof doc.metadata.namespace, 'string');
        if (doc.kind === 'Service') assert.match(doc.metadata.name, /^[a-z]([-a-z0-9]*[a-z0-9])?$/);
        const {matchLabels} = doc.spec?.selector ?? {};
        if (matchLabels) assert.equal(matchLabels['app.kubernetes.io/instance'], release);
      }
    });
  }
});

test('MountsOfLogsAreReadOnly', t => each(t, docs => {
  const writable = new Set(['cache', 'scratch']);
  for (const mount of containerOf(docs).volumeMounts) {
    if (!writable.has(mount.name)) assert.equal(mount.readOnly, true, mount.name);
  }
  for (const volume of podOf(docs).spec.volumes) {
    const claim = volume.persistentVolumeClaim ?? volume.nfs;
    if (claim) assert.equal(claim.readOnly, true, volume.name);
  }
}));

test('EachMountHasItsVolume', t => each(t, docs => {
  const volumes = podOf(docs).spec.volumes.map(v => v.name).sort();
  const mounts = containerOf(docs).volumeMounts.map(m => m.name).sort();
  assert.deepEqual(mounts, volumes);
}));

test('PodsAreRestricted', t => each(t, docs => {
  const pod = podOf(docs).spec;
  assert.equal(pod.automountServiceAccountToken, false);
  assert.equal(pod.securityContext.runAsNonRoot, true);
  assert.ok(pod.securityContext.runAsUser > 0);
  assert.equal(pod.securityContext.seccompProfile.type, 'RuntimeDefault');
  assert.ok(!pod.hostNetwork && !pod.hostIPC);
  const own = containerOf(docs).securityContext;
  assert.equal(own.readOnlyRootFilesystem, true);
  assert.equal(own.allowPrivilegeEscalation, false);
  assert.deepEqual(own.capabilities, {drop: ['ALL']});
  for (const account of ofKind(docs, 'ServiceAccount')) {
    assert.equal(account.automountServiceAccountToken, false);
  }
}));

test('TheHostsProcessesAreSeenOnlyWhereAskedFor', t => each(t, (docs, name) => {
  const asked = name === 'daemonset' || name === 'processes';
  assert.equal(podOf(docs).spec.hostPID ?? false, asked);
}));

test('NothingOfTheOperatorIsThereUnasked', () => {
  const kinds = rendered.get('default').map(d => d.kind).sort();
  assert.deepEqual(kinds, ['ConfigMap', 'Deployment', 'Service', 'ServiceAccount']);
});

test('SelectorsMatchPods', t => each(t, docs => {
  const labels = podOf(docs).metadata.labels;
  const selectors = [
    workloadOf(docs).spec.selector.matchLabels,
    ...ofKind(docs, 'Service').map(d => d.spec.selector),
    ...ofKind(docs, 'PodMonitor').map(d => d.spec.selector.matchLabels),
    ...ofKind(docs, 'PodDisruptionBudget').map(d => d.spec.selector.matchLabels),
    ...ofKind(docs, 'NetworkPolicy').map(d => d.spec.podSelector.matchLabels),
  ];
  for (const selector of selectors) {
    assert.ok(Object.keys(selector).length >= 2);
    for (const [key, value] of Object.entries(selector)) {
      assert.equal(labels[key], value, key);
    }
  }
}));

test('MonitorsMatchServiceAndPort', t => each(t, docs => {
  const service = ofKind(docs, 'Service')[0];
  const ports = containerOf(docs).ports.map(p => p.name);
  assert.ok(ports.includes(service.spec.ports[0].targetPort));
  for (const monitor of ofKind(docs, 'ServiceMonitor')) {
    for (const [k, v] of Object.entries(monitor.spec.selector.matchLabels)) {
      assert.equal(service.metadata.labels[k], v, k);
    }
    assert.deepEqual(monitor.spec.namespaceSelector.matchNames, ['training']);
    assert.deepEqual(monitor.spec.endpoints.map(e => e.port),
                     service.spec.ports.map(p => p.name));
  }
  for (const monitor of ofKind(docs, 'PodMonitor')) {
    assert.ok(ports.includes(monitor.spec.podMetricsEndpoints[0].port));
  }
}));

test('TheJobIsWhatTheRulesLookFor', t => each(t, docs => {
  for (const monitor of [...ofKind(docs, 'ServiceMonitor'), ...ofKind(docs, 'PodMonitor')]) {
    const endpoint = (monitor.spec.endpoints ?? monitor.spec.podMetricsEndpoints)[0];
    assert.deepEqual(endpoint.relabelings[0],
                     {action: 'replace', targetLabel: 'job', replacement: 'rlrun-exporter'});
  }
}));

test('FalseAndLimitsOfAMonitorAreRendered', () => {
  const monitor = ofKind(rendered.get('monitoring'), 'ServiceMonitor')[0];
  assert.equal(monitor.metadata.namespace, 'monitoring');
  assert.equal(monitor.metadata.labels.release, 'kube-prometheus-stack');
  assert.equal(monitor.spec.sampleLimit, 1200000);
  const endpoint = monitor.spec.endpoints[0];
  assert.equal(endpoint.honorTimestamps, false);
  assert.equal(endpoint.honorLabels, false);
  assert.equal(endpoint.interval, '30s');
  assert.equal(endpoint.relabelings.length, 2);
  assert.equal(endpoint.metricRelabelings.length, 1);
});

test('AWebConfigurationChangesProbesAndScheme', () => {
  const docs = rendered.get('web-config');
  const container = containerOf(docs);
  for (const probe of [container.livenessProbe, container.readinessProbe]) {
    assert.deepEqual(probe.tcpSocket, {port: 'metrics'});
    assert.equal(probe.httpGet, undefined);
  }
  assert.ok(container.args.includes(
      '--web.config.file=/etc/rlrun_exporter/web/web-config.yaml'));
  const endpoint = ofKind(docs, 'ServiceMonitor')[0].spec.endpoints[0];
  assert.equal(endpoint.scheme, 'https');
  assert.equal(endpoint.basicAuth.username.name, 'rlrun-scrape');
});

test('ProbesOverHttpsNeedNoHeaderWithoutUsers', () => {
  const docs = render('web-config', {webConfig: {probe: {handler: 'httpGet'}}});
  const {livenessProbe, readinessProbe} = containerOf(docs);
  assert.deepEqual(livenessProbe.httpGet, {path: '/-/healthy', port: 'metrics', scheme: 'HTTPS'});
  assert.deepEqual(readinessProbe.httpGet, {path: '/-/ready', port: 'metrics', scheme: 'HTTPS'});
  const plain = render('web-config', {webConfig: {scheme: 'http', probe: {handler: 'httpGet'}}});
  assert.equal(containerOf(plain).livenessProbe.httpGet.scheme, undefined);
});

test('EachShardIsToldWhichOneItIs', () => {
  const docs = rendered.get('shards');
  assert.equal(workloadOf(docs).spec.replicas, 3);
  assert.equal(ofKind(docs, 'Service')[0].spec.clusterIP, 'None');
  assert.equal(workloadOf(docs).spec.serviceName,
               ofKind(docs, 'Service')[0].metadata.name);
  const container = containerOf(docs);
  assert.ok(container.args.includes('--shard=$(POD_NAME)/3'));
  assert.equal(container.env[0].valueFrom.fieldRef.fieldPath, 'metadata.name');
  const one = containerOf(render('shards', {shards: 1}));
  assert.ok(!one.args.some(a => a.startsWith('--shard')));
});

test('AnotherConfigurationIsAnotherChecksum', () => {
  const sum = docs => podOf(docs).metadata.annotations['checksum/config'];
  const before = sum(rendered.get('default'));
  assert.equal(sum(render('default')), before);
  assert.equal(sum(render('default', {podLabels: {a: 'b'}})), before);
  assert.notEqual(sum(render('default', {config: {retention: {finished: '1h'}}})), before);
  assert.match(sum(rendered.get('secret')), /^[0-9a-f]{64}$/);
});

test('APolicyLetsTheMonitorInAndNothingOut', () => {
  const policy = ofKind(rendered.get('network'), 'NetworkPolicy')[0].spec;
  assert.deepEqual(policy.policyTypes, ['Ingress', 'Egress']);
  assert.deepEqual(policy.egress, []);
  assert.equal(policy.ingress.length, 1);
  assert.equal(policy.ingress[0].from.length, 1);
  const open = ofKind(render('network', {networkPolicy: {from: null}}), 'NetworkPolicy')[0];
  assert.equal(open.spec.ingress[0].from, undefined);
});

test('ExtrasAreTemplates', () => {
  const docs = rendered.get('extra');
  const container = containerOf(docs);
  assert.deepEqual(container.env, [{name: 'TZ', value: 'UTC'}]);
  assert.match(container.image, /^registry\.example\.org\/lab\/rlrun-exporter@sha256:/);
  assert.equal(podOf(docs).spec.serviceAccountName, 'default');
  const maps = ofKind(docs, 'ConfigMap').map(d => d.metadata.name);
  assert.deepEqual(maps.sort(), ['ci-text', 'runs', 'runs-extra']);
  for (const d of docs.filter(d => !/-(extra|text)$/.test(d.metadata.name))) {
    assert.equal(d.metadata.labels.team, 'rl', titleOf(d));
    assert.equal(d.metadata.annotations['example.org/owner'], 'rl', titleOf(d));
  }
});

test('CommonLabelsDoNotBreakSelectors', () => {
  const docs = render('default', {commonLabels: {'app.kubernetes.io/name': 'other'}});
  assert.equal(podOf(docs).metadata.labels['app.kubernetes.io/name'], 'rlrun-exporter');
});
