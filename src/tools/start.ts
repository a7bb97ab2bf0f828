import { loadConfiguration, migrationsOf } from '../app.module.js';
import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { ConfigurationError, ServiceSettings } from '../platform/config/index.js';
import { EmbeddedPostgresError } from '../platform/database/embedded-postgres/index.js';
import { prepareDemo } from './demo/demo-store.js';
import { startPage } from './demo/start-page.js';
import { type Service, startService } from './service.js';
import { stackOf } from '../kernel/error-text.js';
import { Counter, Registry } from 'prom-client';
import { DatabaseSettings } from '../platform/database/index.js';
import { HttpSettings } from '../platform/http/index.js';

/** After this many milliseconds a stop is enforced: whoever stops us kills us after ten seconds (contract 8.33). */
const STOP_DEADLINE_MS = 9_500;

/** How often a service that npm has started looks whether npm is still there, in milliseconds. */
const PARENT_CHECK_MS = 500;

const startedBy = process.ppid;
let stopping = false;

/** Runs the service until it is stopped. Ends the process with 1 if it cannot start. */
export async function start(): Promise<void> {
  await run().catch((error: unknown) => {
    printError(explain(error));
    process.exit(1);
  });
}

async function run(): Promise<void> {
  const configuration = loadConfiguration(process.env);
  const migrations = migrationsOf(configuration);
  const service = await startService(configuration, { onProgress: print, onDatabaseLost: fail }, migrations);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(service));
  stopWithNpm(service);
  endAfterUnhandledErrors(service);
  // A demo store would stand in the way on a server of one's own; with nothing configured it is what a visitor wants.
  const demo =
    configuration.of(DatabaseSettings).databaseUrl === null && !configuration.of(ServiceSettings).production
      ? await prepareDemo(service)
      : null;
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

async function stop(service: Service, exitCode = 0): Promise<void> {
  if (stopping) return;
  stopping = true;
  const deadline = setTimeout(
    () => {
      printError('Stopping took too long; other replicas take over what was under way within 30 seconds.');
      process.exit(1);
    },
    service.configuration.of(HttpSettings).shutdownDelayMs + STOP_DEADLINE_MS,
  );
  await service.stop();
  clearTimeout(deadline);
  process.exit(exitCode);
}

/**
 * Logs and counts an error that no handler caught, and stops the replica in order (contract 8.35). Such an error is a
 * defect, and the state of the process is unknown after it.
 */
function endAfterUnhandledErrors(service: Service): void {
  const logger = new Logger('Process');
  const count = new Counter({
    name: 'joma_unhandled_errors_total',
    help: 'Errors that reached no handler; the replica ends after the first one.',
    registers: [service.app.get(Registry)],
  });
  const end = (error: unknown): void => {
    count.inc();
    logger.fatal(`An error reached no handler; this replica ends: ${stackOf(error)}`);
    void stop(service, 1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
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

/** Errors that a user can act on, in lines of their own; anything else with its stack, since it is a defect. */
function explain(error: unknown): string {
  if (error instanceof ConfigurationError) return error.problems.join('\n');
  if (error instanceof EmbeddedPostgresError) return error.message;
  return stackOf(error);
}
