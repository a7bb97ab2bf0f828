import { loadConfiguration } from '../app.module.js';
import { reencryptSecondFactors } from '../accounts/index.js';
import { EncryptionSettings, SecretBox } from '../platform/config/index.js';
import { withConfiguredDatabase } from '../platform/database/hosts/configured-database.js';
import { reencryptSecrets, type ReencryptionProgress } from '../stores/index.js';

/*
 * `npm run secrets:reencrypt`: seals all secrets under ENCRYPTION_KEY that are still under one of
 * ENCRYPTION_KEYS_OLD. Exits with 0 when none is left, so that the old keys can be removed, and with 1 otherwise.
 */

const BATCH_SIZE = 200;

export async function reencrypt(): Promise<number> {
  const configuration = loadConfiguration(process.env);
  const box = new SecretBox(configuration.of(EncryptionSettings));
  const result = await withConfiguredDatabase(configuration, async (database) => {
    const users = await reencryptSecondFactors(database, box);
    const stores = await reencryptSecrets(database, box, { batchSize: BATCH_SIZE, onProgress: report });
    return {
      total: stores.total + users.reencrypted + users.unreadable,
      reencrypted: stores.reencrypted + users.reencrypted,
      unreadable: stores.unreadable + users.unreadable,
    };
  });
  if (result.total === 0) {
    say('Every secret is under ENCRYPTION_KEY already.');
    return 0;
  }
  if (result.unreadable === 0) {
    say(`${result.reencrypted} secrets re-encrypted. ENCRYPTION_KEYS_OLD can be removed from all replicas.`);
    return 0;
  }
  say(
    `${result.reencrypted} secrets re-encrypted; ${result.unreadable} could not be opened with any key. ` +
      'Keep ENCRYPTION_KEYS_OLD, and add the key that is missing.',
  );
  return 1;
}

function report({ seen, total }: ReencryptionProgress): void {
  say(`${seen} of ${total}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
