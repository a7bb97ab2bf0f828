import 'reflect-metadata';
import { ConfigurationError, loadConfiguration } from '../platform/config/index.js';
import { EmbeddedPostgresError } from '../platform/database/embedded-postgres/embedded-postgres.js';
import { prepareDemo } from './demo/demo-store.js';
import { startPage } from './demo/start-page.js';
import { migrationsOf } from '../app.module.js';
import { type Service, startService } from './service.js';
import { stackOf } from '../kernel/error-text.js';

/** After this many milliseconds a stop is enforced: whoever stops us kills us after ten seconds (contract 8.33). */
const STOP_DEADLINE_MS = 9_500;

/** How often a service that npm has started looks whether npm is still there, in milliseconds. */
const PARENT_CHECK_MS = 500;

const startedBy = process.ppid;
let stopping = false;

async function main(): Promise<void> {
  const configuration = loadConfiguration(process.env);
  const migrations = migrationsOf(configuration);
  const service = await startService(configuration, { onProgress: print, onDatabaseLost: fail }, migrations);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(service));
  stopWithNpm(service);
  // A demo store would stand in the way on a server of one's own; with nothing configured it is what a visitor wants.
  const demo =
    configuration.databaseUrl === null && !configuration.production ? await prepareDemo(service) : null;
  print(startPage(service, demo));
}

/**
 * Whoever stops `npm start` stops npm, which does not pass the signal on: without this the service would go on alone,
 * and the next start would find its port and its database in use.
 */
function stopWithNpm(service: Service): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const check = setInterval(() => {
    if (process.ppid !== startedBy) void stop(service);
  }, PARENT_CHECK_MS);
  check.unref();
}

async function stop(service: Service): Promise<void> {
  if (stopping) return;
  stopping = true;
  const deadline = setTimeout(() => {
    printError('Stopping took too long; what was under way is taken over by the next start.');
    process.exit(1);
  }, STOP_DEADLINE_MS);
  await service.stop();
  clearTimeout(deadline);
  process.exit(0);
}

function fail(line: string): void {
  if (stopping) return;
  printError(line);
  process.exit(1);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}

main().catch((error: unknown) => {
  printError(explain(error));
  process.exit(1);
});

/** Errors that a user can act on, in lines of their own; anything else with its stack, since it is a defect. */
function explain(error: unknown): string {
  if (error instanceof ConfigurationError) return error.problems.join('\n');
  if (error instanceof EmbeddedPostgresError) return error.message;
  return stackOf(error);
}
