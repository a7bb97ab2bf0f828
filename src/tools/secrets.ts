import 'reflect-metadata';
import { reencryptSecondFactors } from '../accounts/index.js';
import { ConfigurationError, loadConfiguration, SecretBox } from '../platform/config/index.js';
import { withConfiguredDatabase } from '../platform/database/hosts/configured-database.js';
import { reencryptSecrets, type ReencryptionProgress } from '../stores/index.js';

/*
 * `npm run secrets:reencrypt`: seals all secrets under ENCRYPTION_KEY that are still under one of
 * ENCRYPTION_KEYS_OLD. Exits with 0 when none is left, so that the old keys can be removed, and with 1 otherwise.
 */

const BATCH_SIZE = 200;

async function main(): Promise<void> {
  const configuration = loadConfiguration(process.env);
  const box = new SecretBox(configuration);
  const result = await withConfiguredDatabase(configuration, async (database) => {
    const users = await reencryptSecondFactors(database, box);
    const stores = await reencryptSecrets(database, box, { batchSize: BATCH_SIZE, onProgress: report });
    return {
      total: stores.total + users.reencrypted + users.unreadable,
      reencrypted: stores.reencrypted + users.reencrypted,
      unreadable: stores.unreadable + users.unreadable,
    };
  });
  if (result.total === 0) return say('Every secret is under ENCRYPTION_KEY already.');
  if (result.unreadable === 0) {
    return say(
      `${result.reencrypted} secrets re-encrypted. ENCRYPTION_KEYS_OLD can be removed from all replicas.`,
    );
  }
  process.exitCode = 1;
  say(
    `${result.reencrypted} secrets re-encrypted; ${result.unreadable} could not be opened with any key. ` +
      'Keep ENCRYPTION_KEYS_OLD, and add the key that is missing.',
  );
}

function report({ seen, total }: ReencryptionProgress): void {
  say(`${seen} of ${total}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

main().catch((error: unknown) => {
  process.exitCode = 1;
  const lines = error instanceof ConfigurationError ? error.problems : [(error as Error).message];
  process.stderr.write(`${lines.join('\n')}\n`);
});
