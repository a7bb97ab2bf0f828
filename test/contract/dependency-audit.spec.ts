import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/*
 * Rules: none: a step of .ci/run.
 *
 * Goal: the step that asks for weaknesses of dependencies fails when there is one, and whenever it cannot tell; it is
 * passed over, in one line, only where the registry does not answer. Method: the real npm and the real lock file
 * against a registry on loopback; a program called npm where npm itself would have to change.
 */

interface Finding {
  readonly severity: string;
  readonly dependency: string;
}

let folder: string;
let registry: Server;
let registryUrl: string;
let answer: () => { status: number; text: string };
let asked: string[] = [];
let ids = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joma-audit-'));
  registry = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(404).end('{}');
      const body = Buffer.concat(chunks);
      const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      asked = Object.keys(JSON.parse(text.toString()) as object);
      const { status, text: answered } = answer();
      return response.writeHead(status, { 'Content-Type': 'application/json' }).end(answered);
    });
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  registryUrl = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  registry.closeAllConnections();
  registry.close();
  await rm(folder, { recursive: true, force: true });
});

async function audit(environment: Record<string, string> = {}): Promise<{ code: number; lines: string[] }> {
  const { Path: _windows, ...inherited } = process.env;
  const child = spawn(process.execPath, ['.config/audit.js'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...inherited,
      npm_config_registry: registryUrl,
      npm_config_cache: join(folder, 'cache'),
      npm_config_fetch_retry_mintimeout: '1',
      npm_config_fetch_retry_maxtimeout: '1',
      ...environment,
    },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, lines: output.split('\n').filter((line) => line !== '') };
}

function finds(...findings: Finding[]): void {
  const advisories = findings.map(({ dependency, severity }) => [
    dependency,
    [
      {
        // npm remembers what it found out about an id.
        id: (ids += 1),
        url: `https://example.com/${dependency}`,
        title: `A hole in ${dependency}`,
        severity,
        vulnerable_versions: '*',
        cwe: [],
        cvss: { score: 0, vectorString: null },
      },
    ],
  ]);
  answer = () => ({ status: 200, text: JSON.stringify(Object.fromEntries(advisories)) });
}

/** A program that stands where npm is looked for. */
async function npmThatSays(output: string, code: number): Promise<Record<string, string>> {
  const path = join(folder, 'npm');
  await writeFile(path, `#!/bin/sh\ncat <<'END'\n${output}\nEND\nexit ${code}\n`);
  await chmod(path, 0o755);
  return { PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
}

describe('the dependency audit', () => {
  it('passes when nothing is known, and has asked for what is shipped', async () => {
    finds();
    const { code, lines } = await audit();
    expect([code, lines]).toEqual([0, ['Dependency audit: nothing high or critical (0 of lower severity).']]);
    expect(asked).toEqual(expect.arrayContaining(['fastify', 'jose', 'pg']));
    expect(asked).not.toContain('vitest');
  });

  it.each(['high', 'critical'])('fails for a %s one, and names it', async (severity) => {
    finds({ dependency: 'fastify', severity }, { dependency: 'pg', severity: 'low' });
    const { code, lines } = await audit();
    expect(code).toBe(1);
    expect(lines.join('\n')).toMatch(
      new RegExp(`${severity}: fastify .*A hole in fastify https://example.com/`),
    );
    expect(lines.at(-1)).toMatch(/^Dependency audit: \d+ of high or critical severity\.$/);
  });

  it('passes with lower ones, and counts them', async () => {
    finds({ dependency: 'ipaddr.js', severity: 'moderate' });
    const { code, lines } = await audit();
    expect(code).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(/^Dependency audit: nothing high or critical \([1-9]\d* of lower severity\)\.$/),
    ]);
  });

  it.each([405, 404, 401, 500])('is passed over in one line when the registry answers %s', async (status) => {
    answer = () => ({ status, text: '{"error":"no"}' });
    const { code, lines } = await audit();
    expect([code, lines.length]).toEqual([0, 1]);
    expect(lines[0]).toMatch(new RegExp(`^Dependency audit skipped: ${status} `));
  });

  it('is passed over in one line when there is no registry', async () => {
    const { code, lines } = await audit({ npm_config_registry: 'http://127.0.0.1:9/' });
    expect([code, lines.length]).toEqual([0, 1]);
    expect(lines[0]).toMatch(/^Dependency audit skipped: .*ECONNREFUSED/);
  });

  const WHOLE = { info: 0, low: 0, moderate: 0, high: 0, critical: 0, total: 0 };
  it.each<[string, string, number]>([
    ['of another form', '{"auditReportVersion":3,"findings":[{"severity":"high"}]}', 1],
    ['of another form that says that all is well', '{"auditReportVersion":3,"findings":[]}', 0],
    [
      'that counts what it does not name',
      JSON.stringify({ vulnerabilities: {}, metadata: { vulnerabilities: { ...WHOLE, high: 1 } } }),
      1,
    ],
    [
      'that names what it does not count',
      JSON.stringify({
        vulnerabilities: { x: { name: 'x', severity: 'high' } },
        metadata: { vulnerabilities: WHOLE },
      }),
      0,
    ],
    [
      'whose exit code alone says so',
      JSON.stringify({ vulnerabilities: {}, metadata: { vulnerabilities: WHOLE } }),
      1,
    ],
    ['without counts', '{"vulnerabilities":{},"metadata":{"vulnerabilities":{}}}', 0],
    [
      'about a missing lock file',
      '{"error":{"code":"ENOLOCK","summary":"This command requires an existing lockfile."}}',
      1,
    ],
    ['that is no JSON', 'All is well.', 0],
    ['that is nothing', '', 0],
  ])('fails with an answer %s', async (_what, output, status) => {
    const { code, lines } = await audit(await npmThatSays(output, status));
    expect(code, lines.join('\n')).toBe(1);
    expect(lines.at(-1)).toMatch(/^Dependency audit: /);
  });
});
