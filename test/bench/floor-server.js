// The floor: Fastify with a schema, one SELECT of a key and one INSERT on a pg pool; what any service of this kind must do.
import Fastify from 'fastify';
import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
await pool.query('CREATE TABLE IF NOT EXISTS floor_keys (digest bytea PRIMARY KEY, store_id uuid NOT NULL)');
await pool.query(
  'CREATE TABLE IF NOT EXISTS floor_payments (id uuid PRIMARY KEY, store_id uuid NOT NULL, amount bigint NOT NULL, note text, created_at timestamptz NOT NULL)',
);
const digest = createHash('sha256').update('floor-key').digest();
await pool.query('INSERT INTO floor_keys VALUES ($1, $2) ON CONFLICT DO NOTHING', [digest, randomUUID()]);

const fastify = Fastify();
const schema = {
  body: {
    type: 'object',
    required: ['amount'],
    properties: { amount: { type: 'number' }, note: { type: 'string' }, customerName: { type: 'string' } },
  },
};
fastify.post('/payments', { schema }, async (request, reply) => {
  const key = createHash('sha256').update(String(request.headers['x-api-key'])).digest();
  const { rows } = await pool.query('SELECT store_id FROM floor_keys WHERE digest = $1', [key]);
  if (rows.length === 0) return reply.status(401).send({ error: 'unauthorized' });
  const id = randomUUID();
  await pool.query('INSERT INTO floor_payments VALUES ($1, $2, $3, $4, now())', [
    id,
    rows[0].store_id,
    Math.round(request.body.amount * 100),
    request.body.note,
  ]);
  return reply.status(201).send({ id, amount: request.body.amount, note: request.body.note });
});
await fastify.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.stdout.write('ready\n');
