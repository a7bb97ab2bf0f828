import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, SHARED_SECRETS } from '../support/built-service.js';
import { eventually } from '../support/eventually.js';
import { ADMIN_EMAIL, ADMIN_PASSWORD } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/*
 * Rules: contract 8.5.
 *
 * Goal: whoever stops `npm start` stops the service, although npm does not pass the signal on.
 * Method: npm is started as a user would start it, and killed in each of the usual ways.
 */

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.drop();
});

describe('npm start', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('leaves no service behind when npm gets %s', async (signal) => {
    const port = await freePort();
    const npm = spawn('npm', ['start'], {
      stdio: 'ignore',
      env: {
        ...process.env,
        ...SHARED_SECRETS,
        DATABASE_URL: database.url,
        PORT: String(port),
        ADMIN_EMAIL,
        ADMIN_PASSWORD,
        LOG_LEVEL: 'silent',
      },
    });
    const answers = async () =>
      fetch(`http://127.0.0.1:${port}/health/live`).then(
        ({ ok }) => ok,
        () => false,
      );
    await eventually(answers, Boolean, 'a ready service', 60_000);
    npm.kill(signal);
    expect(await eventually(answers, (alive) => !alive, 'the end of the service')).toBe(false);
  });
});
