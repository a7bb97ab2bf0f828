import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemProgram } from '../support/programs.js';

/*
 * Goal: what lies in deploy/ is taken by the program it is for. Method: each file is given to that program's own
 * check; a missing program fails and is named.
 */

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'joma-deploy-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (program: string, package_: string, ...args: string[]) =>
  execFileSync(systemProgram(program, package_), args, {
    encoding: 'utf8',
    stdio: 'pipe',
    env: {
      ...process.env,
      ...{ DOMAIN: 'pay.example.com', POSTGRES_PASSWORD: 'x', ENCRYPTION_KEY: 'x', JWT_SECRET: 'x' },
    },
  });

it('compose.yaml', () => {
  const config = ['-f', 'deploy/compose.yaml', 'config'];
  const written = hasPlugin()
    ? run('docker', 'docker.io and docker-compose-v2', 'compose', ...config)
    : run('docker-compose', 'docker-compose', ...config);
  expect(written).toContain('read_only: true');
});

/** Compose comes as a plugin of docker, or, in older systems, as a program of its own. */
function hasPlugin(): boolean {
  return spawnSync('docker', ['compose', 'version']).status === 0;
}

it('Caddyfile', () => {
  run('caddy', 'caddy', 'validate', '--adapter', 'caddyfile', '--config', 'deploy/Caddyfile');
});

it('nginx.conf', () => {
  // With a certificate of its own, where the real one lies on the server.
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  run(
    'openssl',
    'openssl',
    ...[
      'req',
      '-x509',
      '-nodes',
      '-newkey',
      'rsa:2048',
      '-subj',
      '/CN=x',
      '-keyout',
      key,
      '-out',
      certificate,
    ],
  );
  const block = readFileSync('deploy/nginx.conf', 'utf8')
    .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`);
  mkdirSync(join(folder, 'logs'));
  const main = join(folder, 'nginx.conf');
  writeFileSync(
    main,
    `pid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${block}}\n`,
  );
  run('nginx', 'nginx', '-t', '-p', folder, '-c', main);
});

it('joma.service', () => {
  const unit = join(folder, 'joma.service');
  cpSync('deploy/joma.service', unit);
  // The program it starts need not be here.
  writeFileSync(unit, readFileSync(unit, 'utf8').replace('/usr/bin/node', process.execPath));
  run('systemd-analyze', 'systemd', 'verify', unit);
});

it('prometheus-rules.yaml', () => {
  run('promtool', 'prometheus', 'check', 'rules', 'deploy/prometheus-rules.yaml');
});
