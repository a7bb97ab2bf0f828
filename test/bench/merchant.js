// A merchant's endpoint, bare: answers 200 and keeps when each event arrived first.
import { createServer } from 'node:http';

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

process.on('message', ({ reset, waitFor }) => {
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
