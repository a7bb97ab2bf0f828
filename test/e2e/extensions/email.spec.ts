import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { Mailer } from '../../../src/extensions/email/mailer.js';
import type { Configuration } from '../../../src/platform/config/index.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startBuiltService } from '../../support/built-service.js';
import { eventually } from '../../support/eventually.js';
import type { HttpClient } from '../../support/http-client.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../../support/test-app.js';
import { createTestDatabase } from '../../support/test-database.js';
import { receiptBody } from '../../support/receipt-body.js';

/*
 * Rules: contract 13.30, 13.31, 13.33, 13.34, 14.58.
 *
 * Goal: a store's user gets a mail for each verified payment and each review, once, and in the end, whatever happens
 * to the mail server or to the service in between (contract 13.30). Method: a real SMTP server from npm on loopback.
 */

interface Inbox {
  readonly mails: readonly string[];
  readonly port: number;
  close(): Promise<void>;
}

async function openInbox(port = 0): Promise<Inbox> {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, _session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push(Buffer.concat(chunks).toString('utf8'));
        done();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: openPort } = server.server.address() as AddressInfo;
  return {
    mails,
    port: openPort,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** A store that names somebody to write to. */
async function storeWithEmail(http: HttpClient): Promise<TestStore> {
  const admin = await signIn(http);
  const store = await createStore(http, admin, { name: 'Boi Ghar' });
  const body = { notifyEmail: 'owner@example.com' };
  const changed = await http.request('PATCH', `/api/v1/stores/${store.id}`, { headers: admin, body });
  expect(changed.status, changed.text).toBe(200);
  return store;
}

let counter = 0;
async function verify(http: HttpClient, store: TestStore, received = 500): Promise<string> {
  counter += 1;
  const trxId = `MAIL${String(counter).padStart(6, '0')}`;
  const payment = await http.post<{ id: string }>(
    '/api/v1/payments',
    { amount: 500, note: trxId },
    store.key,
  );
  await http.post(`/api/v1/payments/public/${payment.body.id}/verify`, { trxId });
  await http.post('/api/webhooks/joma', receiptBody({ trxId, amount: received }), store.phone);
  return trxId;
}

const subjects = (inbox: Inbox, trxId: string) => inbox.mails.filter((mail) => mail.includes(trxId));
const arrived = (inbox: Inbox, trxId: string) =>
  eventually(
    () => subjects(inbox, trxId),
    (mails) => mails.length > 0,
    `a mail about ${trxId}`,
    45_000,
  );

describe('email', () => {
  let test: TestApp;
  let inbox: Inbox;
  let store: TestStore;

  beforeAll(async () => {
    inbox = await openInbox();
    test = await startTestApp({
      environment: {
        EXTENSIONS: 'email',
        SMTP_URL: `smtp://127.0.0.1:${inbox.port}`,
        EMAIL_FROM: 'Joma <pay@example.com>',
      },
    });
    store = await storeWithEmail(test.http);
  });
  afterAll(async () => {
    await test.close();
    await inbox.close();
  });

  it('mails a verified payment and a review, each once', async () => {
    const verified = await verify(test.http, store);
    await arrived(inbox, verified);
    const doubtful = await verify(test.http, store, 400);
    await arrived(inbox, doubtful);
    const last = await verify(test.http, store);
    await arrived(inbox, last);
    expect(inbox.mails).toHaveLength(3);
    expect(inbox.mails[0]).toMatch(/^To: owner@example\.com/m);
    expect(inbox.mails[0]).toMatch(/^From: Joma <pay@example\.com>/m);
    expect(inbox.mails[1]).toContain('underpaid');
  });

  it('mails nobody of a store that names nobody', async () => {
    const quiet = await createStore(test.http, await signIn(test.http));
    const unheard = await verify(test.http, quiet);
    const heard = await verify(test.http, store);
    await arrived(inbox, heard);
    expect(subjects(inbox, unheard)).toEqual([]);
  });

  it('mails later what the server did not take while it was down', async () => {
    const { port } = inbox;
    await inbox.close();
    const trxId = await verify(test.http, store);
    const payment = await test.http.get<{ data: { status: string }[] }>(
      '/api/v1/payments?limit=1',
      store.key,
    );
    expect(payment.body.data[0]?.status).toBe('verified');
    inbox = await openInbox(port);
    await arrived(inbox, trxId);
    expect(inbox.mails).toHaveLength(1);
  });
});

describe('a service that is killed', () => {
  let inbox: Inbox;
  beforeEach(async () => {
    inbox = await openInbox();
  });
  afterEach(async () => {
    await inbox.close();
  });

  it('mails after it has started again what it could not before', async () => {
    const database = await createTestDatabase();
    const { port } = inbox;
    const environment = {
      DATABASE_URL: database.url,
      EXTENSIONS: 'email',
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      LOG_LEVEL: 'silent',
    };
    const first = await startBuiltService(environment);
    const store = await storeWithEmail(first.http);
    const before = await verify(first.http, store);
    await arrived(inbox, before);
    await inbox.close();
    const during = await verify(first.http, store);
    await first.stop('SIGKILL');
    inbox = await openInbox(port);
    const second = await startBuiltService(environment);
    const after = await verify(second.http, store);
    await arrived(inbox, after);
    expect(subjects(inbox, during)).toHaveLength(1);
    expect(inbox.mails).toHaveLength(2);
    await second.stop();
    await database.drop();
  });
});

describe('a password for the mail server', () => {
  it('attack: does not go to a server that offers no TLS, nor does the mail (contract 14.58)', async () => {
    const commands: string[] = [];
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => {
        commands.push('AUTH');
        done(null, { user: 'joma' });
      },
      onMailFrom: (_address, _session, done) => {
        commands.push('MAIL');
        done();
      },
    });
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    const environment = { SMTP_URL: `smtp://joma:secret@127.0.0.1:${port}` };
    const mailer = await Mailer.load({ environment } as unknown as Configuration);
    await expect(
      mailer.send('owner@example.com', 'one', { subject: 'Paid', text: 'Paid' }),
    ).rejects.toThrow();
    mailer.onApplicationShutdown();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    expect(commands).toEqual([]);
  });
});
