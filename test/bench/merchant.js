// A merchant's endpoint, bare: answers 200 and keeps when each event arrived first.
import { createHmac, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Pool } from 'undici';

const arrivals = new Map();
let waiting = null;
const server = createServer((request, response) => {
  const arrivedAt = performance.timeOrigin + performance.now();
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    response.writeHead(200).end('ok');
    const id = request.headers['webhook-id'];
    if (arrivals.has(id)) return;
    arrivals.set(id, { arrivedAt, chunks });
    if (waiting !== null && arrivals.size >= waiting) answer();
  });
});

function answer() {
  waiting = null;
  const all = [...arrivals.values()];
  const paymentIdOf = ({ chunks }) => JSON.parse(Buffer.concat(chunks).toString()).paymentId;
  process.send({
    result: all.map((one) => ({ arrivedAt: one.arrivedAt, paymentId: paymentIdOf(one) })),
  });
}

const JSON_TYPE = { 'content-type': 'application/json' };
const SECRET = 'floor-secret';

/** What no sender of webhooks can leave out: an id, the time, and one HMAC over both and the body. */
function signedHeaders(id, body) {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', SECRET).update(`${id}.${timestamp}.${body}`).digest('base64');
  const signed = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
  return { ...JSON_TYPE, ...signed };
}

/**
 * The bare loop in the receiver's own process: what one core sends and receives. Each post is an event of its own,
 * which the receiver keeps, as it keeps those of the service.
 */
async function postToSelf(count, isSigned) {
  const pool = new Pool(`http://127.0.0.1:${server.address().port}`, { connections: 64, pipelining: 1 });
  const headersOf = isSigned ? signedHeaders : (id) => ({ ...JSON_TYPE, 'webhook-id': id });
  const post = () => {
    const id = randomUUID();
    const body = JSON.stringify({
      event: 'payment.verified',
      paymentId: id,
      amount: 500,
      note: 'x'.repeat(200),
    });
    return pool.request({ method: 'POST', path: '/webhook', headers: headersOf(id, body), body });
  };
  arrivals.clear();
  const startedAt = performance.now();
  let left = count;
  const worker = async () => {
    while ((left -= 1) >= 0) await (await post()).body.dump();
  };
  await Promise.all(Array.from({ length: 64 }, worker));
  const perSecond = (count / (performance.now() - startedAt)) * 1_000;
  await pool.close();
  process.send({ result: { count, perSecond } });
}

process.on('message', ({ reset, waitFor, posts, isSigned }) => {
  if (posts !== undefined) {
    void postToSelf(posts, isSigned);
    return;
  }
  if (reset) {
    arrivals.clear();
    process.send({ result: null });
    return;
  }
  waiting = waitFor;
  if (arrivals.size >= waiting) answer();
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send({ ready: true, port: server.address().port }));
