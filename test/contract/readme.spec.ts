import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/built-service.js';
import { eventually } from '../support/eventually.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../support/test-app.js';
import { receiptBody } from '../support/receipt-body.js';

/*
 * Rules: contract 7.12, 8.1.
 *
 * Goal: what README.md and the pages behind it promise is so. Method: its TypeScript receiver is run as it is printed,
 * against the real service; commands of all pages are looked for in package.json, names of the walks in the source.
 */

const readme = readFileSync('README.md', 'utf8');

/** The fenced block of a language that holds a text. */
function block(language: string, holding: string): string {
  const blocks = [...readme.matchAll(/^```(\w+)\n([^]*?)^```$/gm)];
  const found = blocks.find(([, name, text]) => name === language && text?.includes(holding));
  if (found?.[2] === undefined) throw new Error(`README.md has no ${language} block with ${holding}.`);
  return found[2];
}

describe('the receiver', () => {
  let service: TestApp;
  let store: TestStore;
  let receiver: ChildProcess;
  let folder: string;
  let url: string;
  let printed = '';

  beforeAll(async () => {
    service = await startTestApp();
    const port = await freePort();
    url = `http://127.0.0.1:${port}/webhooks/joma`;
    store = await createStore(service.http, await signIn(service.http), { webhookUrl: url });
    folder = await mkdtemp(join(tmpdir(), 'joma-readme-'));
    await writeFile(join(folder, 'receiver.mjs'), block('ts', 'receiver.ts'));
    receiver = spawn(process.execPath, [join(folder, 'receiver.mjs')], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { JOMA_WEBHOOK_SECRET: store.webhookSecret, PORT: String(port) },
    });
    receiver.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await eventually(
      () =>
        fetch(url, { method: 'POST' }).then(
          ({ status }) => status,
          () => 0,
        ),
      (status) => status === 401,
      'a receiver that listens',
    );
  });
  afterAll(async () => {
    receiver.kill();
    await once(receiver, 'exit');
    await rm(folder, { recursive: true, force: true });
    await service.close();
  });

  it('takes a webhook that this service has signed, once', async () => {
    const order = { amount: 500, note: 'Order 1001' };
    const { id } = (await service.http.post('/api/v1/payments', order, store.key)).body;
    await service.http.post(`/api/v1/payments/public/${String(id)}/verify`, { trxId: 'README0001' });
    await service.http.post('/api/webhooks/joma', receiptBody({ trxId: 'README0001' }), store.phone);
    const line = `${String(id)} is paid: 500 BDT, Order 1001\n`;
    await eventually(
      () => printed,
      (text) => text.includes(line),
      'the line of the receiver',
    );

    const delivered = await eventually(
      async () =>
        (await service.http.get<{ data: { id: string; status: string }[] }>('/api/v1/deliveries', store.key))
          .body.data[0],
      (delivery) => delivery?.status === 'delivered',
      'the delivery',
    );
    const path = `/api/v1/deliveries/${delivered?.id ?? ''}`;
    await service.http.post(`${path}/redeliver`, undefined, store.key);
    await eventually(
      async () => (await service.http.get<{ attempts: unknown[] }>(path, store.key)).body.attempts.length,
      (count) => count === 2,
      'the second attempt',
    );
    expect(printed).toBe(line);
  });

  it('answers 401 to everything else', async () => {
    const body = '{"event":"payment.verified"}';
    for (const signature of ['', 'f'.repeat(64), 'জমা']) {
      const headers = { 'X-Service-Signature': encodeURI(signature) };
      expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(401);
    }
  });

  it('is TypeScript without a mistake', () => {
    const name = join(folder, 'receiver.ts');
    const host = ts.createCompilerHost({});
    const readFile = host.readFile.bind(host);
    const getSourceFile = host.getSourceFile.bind(host);
    const source = block('ts', 'receiver.ts');
    host.readFile = (path) => (path === name ? source : readFile(path));
    host.fileExists = (path) => path === name || ts.sys.fileExists(path);
    host.getSourceFile = (path, version) =>
      path === name ? ts.createSourceFile(path, source, version) : getSourceFile(path, version);
    const program = ts.createProgram(
      [name],
      {
        strict: true,
        noEmit: true,
        module: ts.ModuleKind.NodeNext,
        target: ts.ScriptTarget.ES2023,
        types: ['node'],
        typeRoots: [join(process.cwd(), 'node_modules', '@types')],
        skipLibCheck: true,
      },
      host,
    );
    const problems = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    expect(problems).toEqual([]);
  });
});

const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

describe('the commands', () => {
  it('are scripts that exist, on every page', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = PAGES.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/npm (?:run (?:-s )?([\w:]+)|(start|test)\b)/g)].map(
        (match) => ({
          page,
          name: match[1] ?? match[2] ?? '',
        }),
      ),
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(({ name }) => scripts[name] === undefined)).toEqual([]);
  });
});

describe('the walks', () => {
  it('name classes, methods and files that are there', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const source = files.map((name) => readFileSync(join('src', name), 'utf8')).join('\n');
    const walks = readFileSync('docs/walks.md', 'utf8');
    const paths = [...walks.matchAll(/`([\w./-]+\.ts)`/g)].map(([, path = '']) => path);
    const names = [...walks.matchAll(/`([A-Z]\w+)(?:\.(\w+))?`/g)].map(([, owner = '', member]) => ({
      owner,
      member,
    }));
    expect([paths.length > 15, names.length > 25]).toEqual([true, true]);
    expect(paths.filter((path) => !files.some((name) => name === path || name.endsWith(`/${path}`)))).toEqual(
      [],
    );
    const isThere = ({ owner, member }: (typeof names)[number]) =>
      new RegExp(`\\b(?:class|interface) ${owner}\\b`).test(source) &&
      (member === undefined || new RegExp(`\\b${member}\\(`).test(source));
    expect(names.filter((name) => !isThere(name))).toEqual([]);
  });
});
