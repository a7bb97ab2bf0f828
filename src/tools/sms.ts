import { createJoma, loadConfiguration } from '../app.module.js';
import { join } from 'node:path';
import { EmbeddedPostgres } from '../platform/database/embedded-postgres/index.js';
import { rereadAllStores } from '../inbound/index.js';
import { DatabaseSettings } from '../platform/database/index.js';
import { ServiceSettings } from '../platform/config/index.js';

/*
 * `npm run sms:reread`: reads the unread messages of all stores again with today's rules (contract 9.14), and says
 * how far it is. It works as one more replica does, beside those that run; the embedded database must not be in use.
 */

export async function rereadMessages(): Promise<void> {
  const configuration = loadConfiguration(process.env);
  const { databaseUrl: url } = configuration.of(DatabaseSettings);
  const embedded =
    url === null
      ? await EmbeddedPostgres.start({ dataDir: join(configuration.of(ServiceSettings).dataDir, 'postgres') })
      : null;
  try {
    const databaseUrl = embedded?.url ?? url;
    if (databaseUrl === null) throw new Error('There is no database.');
    const app = await createJoma({ configuration, databaseUrl });
    try {
      const { stores, read, receipts, ignored, unread } = await rereadAllStores(app, (progress) =>
        say(`${counted(progress.stores, 'store')}, ${counted(progress.read, 'message')}`),
      );
      say(
        `${counted(stores, 'store')}: ${counted(read, 'message')} read, ${counted(receipts, 'receipt')}, ${ignored} ignored, ${unread} unread still.`,
      );
    } finally {
      await app.close();
    }
  } finally {
    await embedded?.stop();
  }
}

const counted = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
