import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findWriter, NoPrimaryError } from '../../src/platform/database/hosts/database-hosts.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/*
 * Rules: contract 8.14.
 *
 * Goal: a machine of several that says nothing at all keeps requests waiting once, and not at each search; and nobody
 * is given up for being slow (contract 8.14). Method: a listener that takes connections and never answers stands for
 * the machine; it counts what becomes of them.
 */

let database: TestDatabase;
let listener: Server;
const held = new Set<Socket>();
let silentUrl: string;

beforeAll(async () => {
  database = await createTestDatabase();
  listener = createServer((socket) => {
    held.add(socket);
    socket.on('error', () => undefined).on('close', () => held.delete(socket));
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const address = new URL(database.url);
  address.port = String((listener.address() as AddressInfo).port);
  silentUrl = address.href;
});
afterAll(async () => {
  for (const socket of held) socket.destroy();
  listener.close();
  await database.drop();
});

/** The addresses in the order in which searches for them came to an end. */
async function inOrder(...searches: readonly (readonly [name: string, search: Promise<unknown>])[]) {
  const order: string[] = [];
  await Promise.all(searches.map(([name, search]) => search.then(() => order.push(name))));
  return order;
}

it('is waited for at the first search only', async () => {
  const silent = new Set<string>();
  const urls = [silentUrl, database.url];
  expect(await findWriter(urls, 0, silent)).toMatchObject({ url: database.url });
  expect([...silent]).toEqual([silentUrl]);
  // A search that knows of it is over before one that does not, though it began later.
  const first = findWriter(urls);
  const second = findWriter(urls, 0, silent);
  expect(await inOrder(['unknowing', first], ['knowing', second])).toEqual(['knowing', 'unknowing']);
  expect([...silent]).toEqual([silentUrl]);
});

it('is asked like any other as soon as it answers, and found', async () => {
  const silent = new Set([database.url]);
  expect(await findWriter([database.url, 'postgres://joma@127.0.0.1:1/none'], 0, silent)).toMatchObject({
    url: database.url,
  });
  expect([...silent]).toEqual([]);
});

it('has all its time again when nobody else takes writes: it may only be slow', async () => {
  const silent = new Set([silentUrl]);
  await expect(findWriter([silentUrl, 'postgres://joma@127.0.0.1:1/none'], 0, silent)).rejects.toThrow(
    NoPrimaryError,
  );
  expect([...silent]).toEqual([]);
});
