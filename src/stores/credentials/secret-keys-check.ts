import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ConfigurationError, SecretBox } from '../../platform/config/index.js';
import { Database } from '../../platform/database/index.js';
import { listUnknownSecondFactorKeyIds } from '../../accounts/index.js';
import { listUnknownKeyIds } from './secret-reencryption.js';

/**
 * Refuses to start when the database holds secrets that cannot be opened: with a wrong `ENCRYPTION_KEY` the service
 * would take payments and fail to tell any merchant.
 */
@Injectable()
export class SecretKeysCheck implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly box: SecretBox,
  ) {}

  /** @throws ConfigurationError naming the ids of the keys that are missing */
  async onModuleInit(): Promise<void> {
    const unknown = [
      ...(await listUnknownKeyIds(this.database, this.box)),
      ...(await listUnknownSecondFactorKeyIds(this.database, this.box)),
    ];
    if (unknown.length === 0) return;
    throw new ConfigurationError([
      `ENCRYPTION_KEY is not the key of the secrets in this database (sealed under ${unknown.join(', ')}): ` +
        'set the right one, or add the old one to ENCRYPTION_KEYS_OLD.',
    ]);
  }
}
