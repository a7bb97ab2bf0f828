import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

/*
 * A service process in miniature for the fault tests: `node embedded-owner.js <built module> <dataDir>` starts the
 * embedded database, writes one JSON line for each thing that happens, and stops the database on the line "stop". Like
 * the service it does not end at once when Ctrl-C is pressed.
 */

const [, , modulePath, dataDir] = process.argv;
const { EmbeddedPostgres } = await import(pathToFileURL(modulePath).href);

const say = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);

const startedAtMs = performance.now();
try {
  const database = await EmbeddedPostgres.start({
    dataDir,
    onProgress: (message) => say({ progress: message }),
    onExit: (message) => say({ exit: message }),
  });
  // Both listeners stand before the URL is said: the test may act on it within the same millisecond.
  process.on('SIGINT', () => say({ interrupted: true }));
  createInterface({ input: process.stdin }).on('line', async (line) => {
    if (line !== 'stop') return;
    await Promise.all([database.stop(), database.stop()]);
    await database.stop();
    say({ stopped: true });
    process.exit(0);
  });
  say({ url: database.url, tookMs: Math.round(performance.now() - startedAtMs) });
} catch (error) {
  say({ error: { name: error.name, message: error.message } });
  process.exit(1);
}
