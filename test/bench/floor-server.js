// The floors: what any service of this kind must do, and nothing else. Bare Fastify with a schema, `pg`, named
// statements, on the same PostgreSQL server and with the same durability as the service beside it.
import Fastify from 'fastify';
import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
await pool.query('CREATE TABLE IF NOT EXISTS floor_keys (digest bytea PRIMARY KEY, store_id uuid NOT NULL)');
await pool.query(
  `CREATE TABLE IF NOT EXISTS floor_payments (id uuid PRIMARY KEY, store_id uuid NOT NULL, amount bigint NOT NULL, note text,
     trx_id text, status text NOT NULL, created_at timestamptz NOT NULL)`,
);
await pool.query(
  'CREATE UNIQUE INDEX IF NOT EXISTS floor_payments_trx ON floor_payments (store_id, trx_id) WHERE trx_id IS NOT NULL',
);
await pool.query(
  `CREATE TABLE IF NOT EXISTS floor_receipts (id uuid PRIMARY KEY, store_id uuid NOT NULL, trx_id text NOT NULL,
     amount bigint NOT NULL, counterparty text NOT NULL, received_at timestamptz NOT NULL, arrived_at timestamptz NOT NULL,
     UNIQUE (store_id, trx_id))`,
);
const storeId = '00000000-0000-7000-8000-000000000001';
const digest = createHash('sha256').update('floor-key').digest();
await pool.query('INSERT INTO floor_keys VALUES ($1, $2) ON CONFLICT DO NOTHING', [digest, storeId]);

const statement = (name, text) => (values) => ({ name, text, values });
const findKey = statement('key', 'SELECT store_id FROM floor_keys WHERE digest = $1');
const insertPayment = statement(
  'payment',
  'INSERT INTO floor_payments VALUES ($1, $2, $3, $4, $5, $6, now())',
);
const findPayment = statement('find', 'SELECT * FROM floor_payments WHERE id = $1');
const insertReceipt = statement(
  'receipt',
  'INSERT INTO floor_receipts VALUES ($1, $2, $3, $4, $5, $6, now())',
);
const verify = statement(
  'verify',
  `UPDATE floor_payments SET status = 'verified' WHERE store_id = $1 AND trx_id = $2 AND status = 'submitted' RETURNING id`,
);

const text = { type: 'string' };
const payment = { amount: { type: 'number' }, note: text, customerName: text, trxId: text };
const receipt = { trxId: text, amount: { type: 'number' }, counterparty: text, receivedAt: text };
const taking = (properties, required) => ({ schema: { body: { type: 'object', required, properties } } });

const fastify = Fastify();
fastify.post('/payments', taking(payment, ['amount']), async (request, reply) => {
  const key = createHash('sha256').update(String(request.headers['x-api-key'])).digest();
  const { rows } = await pool.query(findKey([key]));
  if (rows.length === 0) return reply.status(401).send({ error: 'unauthorized' });
  const { amount, note, trxId } = request.body;
  const id = randomUUID();
  const status = trxId === undefined ? 'pending' : 'submitted';
  await pool.query(insertPayment([id, rows[0].store_id, Math.round(amount * 100), note, trxId, status]));
  return reply.status(201).send({ id, amount, note });
});
fastify.get('/payments/:id', async (request, reply) => {
  const { rows } = await pool.query(findPayment([request.params.id]));
  return rows.length === 0 ? reply.status(404).send({ error: 'not found' }) : rows[0];
});
// No look-up of a credential here: insert and update in one transaction, no more.
fastify.post('/receipts', taking(receipt, Object.keys(receipt)), async (request) => {
  const { trxId, amount, counterparty, receivedAt } = request.body;
  const id = randomUUID();
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(
      insertReceipt([id, storeId, trxId, Math.round(amount * 100), counterparty, receivedAt]),
    );
    const { rows } = await client.query(verify([storeId, trxId]));
    await client.query('COMMIT');
    return { receiptId: id, status: rows.length === 0 ? 'unmatched' : 'matched', paymentId: rows[0]?.id };
  } finally {
    client.release();
  }
});
await fastify.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.stdout.write('ready\n');
