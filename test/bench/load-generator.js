// The load: a process of its own, which runs one job after the other as the bench tells it. Only what is answered as
// it should be is counted, and everything else ends the run.
import { Pool } from 'undici';

/** Where a time stands on a clock that every process of this machine shares, in milliseconds. */
const nowMs = () => performance.timeOrigin + performance.now();

/**
 * Keeps `connections` requests under way: until the items are used up, or, with `durationMs`, round and round for so
 * long. With `perSecond` the requests begin in that rhythm, whatever the answers do.
 */
async function run({ origin, connections, durationMs, perSecond, method, headers, status, items, collect }) {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const latenciesMs = [];
  const answers = [];
  const startedAt = nowMs();
  let taken = 0;
  const next = () => {
    if (durationMs === undefined) return taken < items.length ? items[taken++] : undefined;
    return nowMs() - startedAt < durationMs ? items[taken++ % items.length] : undefined;
  };
  const send = async (item) => {
    const sentAt = nowMs();
    const answer = await pool.request({
      method,
      path: item.path,
      headers: item.headers ?? headers,
      body: item.body ?? null,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== status)
      throw new Error(`${method} ${item.path} was answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    const answeredAt = nowMs();
    latenciesMs.push(answeredAt - sentAt);
    if (collect !== undefined) answers.push({ [collect]: JSON.parse(text)[collect], answeredAt });
  };
  const worker = async () => {
    for (let item = next(); item !== undefined; item = next()) await send(item);
  };
  const paced = async () => {
    const sent = [];
    await new Promise((resolve) => {
      const timer = setInterval(() => {
        const due = Math.floor(((nowMs() - startedAt) / 1_000) * perSecond);
        while (taken < due) {
          const item = next();
          if (item === undefined) {
            clearInterval(timer);
            resolve();
            return;
          }
          sent.push(send(item));
        }
      }, 1);
    });
    await Promise.all(sent);
  };
  await (perSecond === undefined ? Promise.all(Array.from({ length: connections }, worker)) : paced());
  const elapsedMs = nowMs() - startedAt;
  await pool.close();
  latenciesMs.sort((left, right) => left - right);
  const at = (share) => latenciesMs[Math.floor(latenciesMs.length * share)] ?? null;
  return {
    count: latenciesMs.length,
    perSecond: (latenciesMs.length / elapsedMs) * 1_000,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    startedAt,
    answers,
  };
}

process.on('message', (job) => {
  run(job).then(
    (result) => process.send({ result }),
    (error) => process.send({ error: String(error?.stack ?? error) }),
  );
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: true });
