import { expect, it, vi } from 'vitest';
import { Database } from '../../../src/platform/database/index.js';
import { newTrxId } from '../../support/money-shop.js';
import { useShop } from '../../support/use-shop.js';

/* Rules: contract 8.13.`FAST_PATHS`. That the results are the same is what `npm run test:plain` shows. */

const { service: plain, shop } = useShop({ replicas: 1, environment: { FAST_PATHS: 'off' } });

it('off: many at one moment are one statement each, and none that several share', async () => {
  const database = plain.test.app.get(Database);
  const names: string[] = [];
  const query = vi.spyOn(database, 'query');
  const execute = vi.spyOn(database, 'execute');
  const ids = await Promise.all(Array.from({ length: 8 }, async () => (await shop.create()).id));
  const trxIds = ids.map(() => newTrxId());
  await Promise.all(ids.map((id, index) => shop.submit(id, { trxId: trxIds[index]! })));
  const answers = await Promise.all(trxIds.map((trxId) => shop.receipt({ trxId })));
  for (const id of ids) expect((await shop.get(id)).status).toBe('verified');
  for (const [statement] of [...query.mock.calls, ...execute.mock.calls])
    if (typeof statement !== 'string') names.push(statement.name ?? '');
  expect(answers.map(({ body }) => body.status)).toEqual(ids.map(() => 'matched'));
  expect(names.filter((name) => name === 'payments-insert')).toHaveLength(8);
  expect(names.filter((name) => /many|confirmed|stamped|counted/.test(name))).toEqual([]);
});
