import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DatabaseLine, startDatabaseLine } from '../support/database-line.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../support/test-app.js';
import { receiptBody } from '../support/receipt-body.js';

/*
 * Rules: contract 8.14.
 *
 * Goal: connections to the database that are dead without a word (the other machine has lost its power, something
 * between has forgotten them) hold up those who were on them, and nobody else; and those are answered in the end.
 * Method: the real application over a line whose connections fall silent in the middle of receipts; new ones work.
 */

const CALLERS = 6;

let database: TestDatabase;
let line: DatabaseLine;
let test: TestApp;
let store: TestStore;

beforeAll(async () => {
  database = await createTestDatabase();
  line = await startDatabaseLine(database);
  test = await startTestApp({ database: line.database });
  store = await createStore(test.http, await signIn(test.http), {});
});
afterAll(async () => {
  await test.close();
  await line.cut();
  await database.drop();
});

let serial = 0;

async function receipt(): Promise<number> {
  serial += 1;
  const trxId = `SLN${String(serial).padStart(7, '0')}`;
  return (await test.http.post('/api/webhooks/joma', receiptBody({ trxId }), store.phone)).status;
}

async function read(id: string): Promise<number> {
  return (await test.http.get(`/api/v1/payments/public/${id}`)).status;
}

it('connections that fall silent hold up nobody but those who were on them', async () => {
  const { id } = (await test.http.post<{ id: string }>('/api/v1/payments', { amount: 500 }, store.key)).body;
  for (let count = 0; count < 3; count += 1) {
    const sent = Array.from({ length: CALLERS }, () => [receipt(), read(id)]).flat();
    expect(await Promise.all(sent)).toEqual(sent.map(() => 200));
  }
  const hung: Promise<number>[] = [];
  expect(line.silence()).toBeGreaterThan(0);
  // Whoever is given one of them hangs. There are only so many, and everybody else goes past them.
  let passed = 0;
  while (passed < 50) {
    let isAnswered = false;
    const one = passed % 2 === 0 ? receipt() : read(id);
    void one.then(() => (isAnswered = true));
    await Promise.race([one, new Promise((resolve) => setTimeout(resolve, 3_000))]);
    if (isAnswered) {
      expect(await one).toBe(200);
      passed += 1;
    } else hung.push(one);
    expect(hung.length).toBeLessThanOrEqual(40);
  }
  // Nobody knows what became of theirs: they are told so, and send it again.
  expect(new Set(await Promise.all(hung))).toEqual(new Set(hung.length === 0 ? [] : [503]));
  expect(await receipt()).toBe(200);
}, 180_000);
