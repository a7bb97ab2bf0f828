// Writes the software bill of materials (CycloneDX 1.5) from package-lock.json: every package that is locked, on whatever
// platform it installs; those of development alone have the scope "excluded". `npm sbom --omit dev` leaves out what is also a
// peer of something of development, and every package for another platform. To stdout, and to .artifacts/sbom.cdx.json.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const text = readFileSync('package-lock.json', 'utf8');
const { packages } = JSON.parse(text);
const PREFIX = 'node_modules/';

function nameAt(path) {
  return packages[path].name ?? path.slice(path.lastIndexOf(PREFIX) + PREFIX.length);
}

function purlAt(path) {
  return `pkg:npm/${nameAt(path).replace('@', '%40')}@${packages[path].version}`;
}

function hashesOf(integrity = '') {
  return integrity
    .split(' ')
    .map((hash) => /^(sha\d+)-(.+)$/.exec(hash))
    .filter((match) => match !== null)
    .map(([, algorithm, content]) => ({
      alg: algorithm.replace('sha', 'SHA-'),
      content: Buffer.from(content, 'base64').toString('hex'),
    }));
}

function componentAt(path) {
  const { version, license, integrity, resolved, dev, optional, devOptional } = packages[path];
  const [, group, name] = /^(?:(@[^/]+)\/)?(.+)$/.exec(nameAt(path));
  return {
    'bom-ref': path,
    type: 'library',
    ...(group === undefined ? {} : { group }),
    name,
    version,
    scope: dev ? 'excluded' : optional || devOptional ? 'optional' : 'required',
    purl: purlAt(path),
    ...(license === undefined ? {} : { licenses: [licenseOf(license)] }),
    hashes: hashesOf(integrity),
    // Of the public registry alone: another one names a machine of whoever installed.
    ...(resolved?.startsWith('https://registry.npmjs.org/')
      ? { externalReferences: [{ type: 'distribution', url: resolved }] }
      : {}),
  };
}

function licenseOf(license) {
  return /^[A-Za-z0-9.+-]+$/.test(license) ? { license: { id: license } } : { expression: license };
}

/** Where Node finds a package from another one: beside it, or beside one that it lies in. */
function resolve(from, name) {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf(`/${PREFIX}`)))) {
    const path = `${base === '' ? '' : `${base}/`}${PREFIX}${name}`;
    if (packages[path] !== undefined) return path;
    if (base === '') return null;
    if (!base.includes(`/${PREFIX}`)) base = '/';
  }
}

function dependenciesAt(path) {
  const { dependencies, optionalDependencies, devDependencies } = packages[path];
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
  const dependsOn = names.map((name) => resolve(path, name)).filter((found) => found !== null);
  return { ref: path === '' ? 'joma' : path, dependsOn: [...new Set(dependsOn)].sort() };
}

const { name, version } = packages[''];
const paths = Object.keys(packages).filter((path) => path !== '' && !packages[path].link);
const digest = createHash('sha256').update(text).digest('hex');
const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  // The same lock file makes the same document.
  serialNumber: `urn:uuid:${digest.slice(0, 8)}-${digest.slice(8, 12)}-4${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`,
  version: 1,
  metadata: { component: { 'bom-ref': 'joma', type: 'application', name, version } },
  components: paths.map(componentAt),
  dependencies: ['', ...paths].map(dependenciesAt),
};
const json = `${JSON.stringify(bom, null, 2)}\n`;
mkdirSync('.artifacts', { recursive: true });
writeFileSync('.artifacts/sbom.cdx.json', json);
process.stdout.write(json);
