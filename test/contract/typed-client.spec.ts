import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createStore, signIn, startTestApp, type TestApp } from '../support/test-app.js';

/*
 * Rules: contract 1.3, 8.29.
 *
 * Goal: a client generated from the document fits the service: what compiles works. Method: openapi-typescript makes
 * the types, the compiler checks a whole flow that uses them, and then the flow runs against the real service with
 * openapi-fetch.
 */

const FLOW = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

export async function flow(baseUrl: string, apiKey: string, webhookSecret: string): Promise<object> {
  const client = createClient<paths>({ baseUrl });
  const created = await client.POST('/api/v1/payments', {
    params: { header: { 'Idempotency-Key': 'typed-1' } },
    headers: { 'X-Api-Key': apiKey },
    body: { amount: 500, note: 'Order 1001', products: [{ name: 'Tea', quantity: 1, price: 500 }] },
  });
  if (created.data === undefined) throw new Error(created.error.code + created.error.detail);
  const { id } = created.data;
  const seen = await client.GET('/api/v1/payments/public/{id}', { params: { path: { id } } });
  if (seen.data === undefined) throw new Error(seen.error.code);
  const amount: number = seen.data.payAmount;
  const entered = await client.POST('/api/v1/payments/public/{id}/verify', {
    params: { path: { id } },
    body: { trxId: 'TYPED00001' },
  });
  const waiting: string | undefined = entered.data?.status;
  const received = await client.POST('/api/webhooks/joma', {
    headers: { 'X-Webhook-Secret': webhookSecret },
    body: {
      app: 'typed',
      provider: 'bkash',
      kind: 'received',
      trxId: 'TYPED00001',
      amount,
      counterparty: '01700000009',
      receivedAt: new Date().toISOString(),
    },
  });
  const listed = await client.GET('/api/v1/payments', {
    params: { query: { status: 'verified', limit: 1 } },
    headers: { 'X-Api-Key': apiKey },
  });
  const [payment] = listed.data?.data ?? [];
  const missing = await client.GET('/api/v1/payments/{id}', {
    params: { path: { id: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' } },
    headers: { 'X-Api-Key': apiKey },
  });
  const code: string | undefined = missing.error?.code;
  return { waiting, matched: received.data?.status, status: payment?.status, trxId: payment?.trxId, code };
}
`;

let test: TestApp;
let folder: string;

beforeAll(async () => {
  test = await startTestApp();
  folder = await mkdtemp(join(tmpdir(), 'joma-typed-'));
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const document = JSON.parse(await readFile('test/openapi.json', 'utf8')) as Parameters<typeof openapiTS>[0];
  await writeFile(join(folder, 'schema.d.ts'), astToString(await openapiTS(document)));
});
afterAll(async () => {
  await test.close();
  await rm(folder, { recursive: true, force: true });
});

/** What the compiler says of a program; it is written beside it when that is nothing. */
async function compile(name: string, text: string): Promise<string[]> {
  const file = join(folder, `${name}.ts`);
  await writeFile(file, text);
  const program = ts.createProgram([file], {
    strict: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
    types: [],
    skipLibCheck: true,
    noEmitOnError: true,
  });
  const { diagnostics } = program.emit();
  return [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, ' '),
  );
}

it(
  'drives a whole flow, and refuses to compile what the service would refuse',
  { timeout: 120_000 },
  async () => {
    expect(await compile('flow', FLOW)).toEqual([]);
    expect(await compile('wrong', FLOW.replace('amount: 500,', 'amont: 500,'))).not.toEqual([]);
    const { flow } = (await import(pathToFileURL(join(folder, 'flow.js')).href)) as {
      flow: (baseUrl: string, apiKey: string, webhookSecret: string) => Promise<object>;
    };
    const store = await createStore(test.http, await signIn(test.http));
    expect(await flow(test.http.url, store.apiKey, store.webhookSecret)).toEqual({
      waiting: 'submitted',
      matched: 'matched',
      status: 'verified',
      trxId: 'TYPED00001',
      code: 'payment.not_found',
    });
  },
);
