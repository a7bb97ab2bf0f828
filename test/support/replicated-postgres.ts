import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../migrations/index.js';
import { dataSourceOptions } from '../../src/platform/database/data-source-options.js';
import { EmbeddedPostgres } from '../../src/platform/database/embedded-postgres/index.js';
import { migrate } from '../../src/platform/database/migrations.js';
import { eventually } from './eventually.js';

/** One of two servers of which one follows the other. */
export interface ReplicatedServer {
  readonly url: string;
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Ends it as a power cut would; what it has not written down is gone. */
  crash(): Promise<void>;
}

/** A primary with the service's schema, and a copy that follows it. */
export interface ReplicatedPostgres {
  readonly primary: ReplicatedServer;
  readonly standby: ReplicatedServer;
  /** Both addresses in one, as `DATABASE_URL` takes them; the standby first. */
  readonly url: string;
  /** From now on a commit is confirmed only when the standby has it, too. */
  commitOnBoth(): Promise<void>;
  /** The standby becomes a server that accepts writes. */
  promote(): Promise<void>;
  close(): Promise<void>;
}

/** Nothing that is written has to survive this machine, but a commit must wait for the standby. */
const SERVER = { durable: false, settings: { max_connections: '100', synchronous_commit: 'on' } };

/** A clean stop, a copy of the data folder, `standby.signal`: as an operator would make one without further tools. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'joma-replicated-'));
  const homes = { primary: join(folder, 'primary'), standby: join(folder, 'standby') };
  const first = await EmbeddedPostgres.start({ dataDir: homes.primary, ...SERVER });
  const source = await new DataSource(
    dataSourceOptions(first.url, 2, { migrations: MIGRATIONS }),
  ).initialize();
  await migrate(source);
  await source.destroy();
  await first.stop();

  const hba = join(homes.primary, 'cluster', 'pg_hba.conf');
  await appendFile(hba, '\nhost replication all 127.0.0.1/32 scram-sha-256\n');
  await cp(homes.primary, homes.standby, { recursive: true, preserveTimestamps: true });
  await rm(join(homes.standby, 'port'));
  const primary = await startServer(homes.primary);

  const { port, username, password } = new URL(primary.url);
  const conninfo = `host=127.0.0.1 port=${port} user=${username} password=${password} application_name=standby`;
  const standbyCluster = join(homes.standby, 'cluster');
  await writeFile(join(standbyCluster, 'standby.signal'), '');
  await appendFile(join(standbyCluster, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
  const standby = await startServer(homes.standby);
  await untilStreaming(primary);

  const address = new URL(primary.url);
  return {
    primary,
    standby,
    url: primary.url.replace(address.host, `${new URL(standby.url).host},${address.host}`),
    commitOnBoth: async () => {
      await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
      await primary.query('SELECT pg_reload_conf()');
      await eventually(
        () => primary.query<{ sync_state: string }>('SELECT sync_state FROM pg_stat_replication'),
        (rows) => rows[0]?.sync_state === 'sync',
        'a synchronous standby',
      );
    },
    promote: async () => {
      await standby.query('SELECT pg_promote(true, 60)');
    },
    close: async () => {
      // The standby first: a primary that stops waits for whoever follows it.
      for (const server of [standby, primary]) await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilStreaming(primary: ReplicatedServer): Promise<void> {
  await eventually(
    () => primary.query<{ state: string }>('SELECT state FROM pg_stat_replication'),
    (rows) => rows[0]?.state === 'streaming',
    'a standby that follows',
  );
}

async function startServer(home: string): Promise<ReplicatedServer & { stop(): Promise<void> }> {
  const server = await EmbeddedPostgres.start({ dataDir: home, ...SERVER });
  return {
    url: server.url,
    query: async <Row extends QueryResultRow>(text: string, values: unknown[] = []) => {
      const client = new Client({ connectionString: server.url });
      client.on('error', () => undefined);
      await client.connect();
      try {
        return (await client.query<Row>(text, values)).rows;
      } finally {
        await client.end();
      }
    },
    crash: async () => {
      const pidFile = join(home, 'cluster', 'postmaster.pid');
      const pid = Number.parseInt(await readFile(pidFile, 'utf8'), 10);
      // An immediate shutdown: no checkpoint, no good-bye to anybody; the next start has to recover.
      process.kill(pid, 'SIGQUIT');
      await eventually(
        () => readFile(pidFile, 'utf8').then(Boolean, () => false),
        (isThere) => !isThere,
        'the end of the primary',
      );
    },
    stop: () => server.stop(),
  };
}
