// Whether manifests are what the API server would take: by the validators of
// kubernetes-models, and by its types, which also refuse keys that are unknown
// (the validators let those of custom resources through).
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import ts from 'typescript';
import {buildDir, sourceDir} from './helm.mjs';

const require = createRequire(import.meta.url);
const OPERATOR = '@kubernetes-models/prometheus-operator';

// `apps/v1` is a folder of kubernetes-models; `policy/v1` as well, groups with a
// domain too; the operator's are in a package of their own.
function moduleOf(manifest) {
  const version = manifest.apiVersion;
  return version.startsWith('monitoring.coreos.com/')
      ? `${OPERATOR}/${version}/${manifest.kind}`
      : `kubernetes-models/${version}/${manifest.kind}`;
}

export const titleOf = manifest =>
    `${manifest.kind} ${manifest.metadata?.name}`;

// Messages; empty: all are right.
export function validatorErrors(manifests) {
  const errors = [];
  for (const manifest of manifests) {
    try {
      const Model = require(moduleOf(manifest))[manifest.kind];
      new Model(manifest).validate();
    } catch (error) {
      errors.push(`${titleOf(manifest)}: ${error.message}`);
    }
  }
  return errors;
}

// The same by types; one program for all, since the compiler starts slowly.
export function typeErrors(manifests) {
  const dir = path.join(buildDir, 'helm');
  const file = path.join(dir, `manifests-${process.pid}.ts`);
  const lines = manifests.map((manifest, i) => {
    const name = manifest.kind;
    // An object without a type of its own loses its excess properties unseen;
    // a literal does not.
    return `import type {I${name} as T${i}} from '${moduleOf(manifest)}';\n` +
        `export const m${i}: T${i} = ${JSON.stringify(manifest)};`;
  });
  fs.mkdirSync(dir, {recursive: true});
  fs.writeFileSync(file, lines.join('\n'));
  try {
    const program = ts.createProgram([file], {
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      types: [],
      module: ts.ModuleKind.CommonJS,
      moduleResolution: ts.ModuleResolutionKind.Node10,
      baseUrl: path.join(sourceDir, 'node_modules'),
    });
    return ts.getPreEmitDiagnostics(program).map(found => {
      const text = ts.flattenDiagnosticMessageText(found.messageText, '\n');
      const line = found.file
          ? found.file.getLineAndCharacterOfPosition(found.start).line
          : 0;
      const manifest = manifests[line >> 1];
      return `${manifest ? titleOf(manifest) : ''}: ${text}`;
    });
  } finally {
    fs.rmSync(file);
  }
}
