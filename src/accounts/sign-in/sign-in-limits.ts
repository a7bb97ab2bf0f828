import { createHmac, hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EncryptionSettings } from '../../platform/config/index.js';
import { AccountsSettings } from '../accounts.settings.js';
import { Database } from '../../platform/database/index.js';
import { addressGroup } from '../../platform/http/index.js';
import { type RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { tooBusy, tooManySignIns } from '../accounts.problems.js';

import { KeyedTurns } from '../users/turns.js';
import { rateLimiter } from './rate-limiter.js';

/**
 * The account whose password is tried, and the address that tries it. `isKnown`: the account has been signed in to
 * from there lately.
 */
export interface AttemptSubject {
  readonly email: string;
  readonly address: string;
  readonly isKnown: boolean;
}

/** A point that was taken, and the end of the window it was taken from. */
interface TakenPoint {
  readonly key: string;
  readonly windowEndsAtMs: number;
}

const KEY_PREFIX = 'sign-in';
/** Attempts of this replica that run or wait for their turn. */
const MAX_ATTEMPTS_UNDER_WAY = 400;

/**
 * `RATE_LIMIT_LOGIN`: how often a password may be tried for one account and from one address, over all replicas and
 * restarts (contract 2.14 and 8.27). A point is taken before the password is checked, so that no number of simultaneous
 * guesses gets more of them, and given back when it was right, so that right ones are never counted.
 *
 * Attempts on one account or from one address take turns on each replica: otherwise the points that right ones hold for
 * the moment of their check would refuse others.
 */
@Injectable()
export class SignInLimits {
  private readonly limiter: RateLimiterPostgres | null;
  private readonly turns = new KeyedTurns(MAX_ATTEMPTS_UNDER_WAY, tooBusy);
  private readonly keySecret: Buffer;
  private readonly windowMs: number;

  constructor(
    { rateLimitLogin: limit }: AccountsSettings,
    { encryptionKey }: EncryptionSettings,
    private readonly database: Database,
  ) {
    this.windowMs = limit?.windowMs ?? 0;
    this.limiter = limit === null ? null : rateLimiter(database, KEY_PREFIX, limit);
    this.keySecret = Buffer.from(hkdfSync('sha256', encryptionKey, '', 'joma sign-in limits', 32));
  }

  /**
   * Runs `check` when there is room for an attempt on an account. From an address that has signed in to it lately
   * attempts are counted by themselves, so that strangers cannot lock its owner out (contract 14.22); all others
   * share the counts of the account and of their address.
   *
   * @throws DomainError `auth.too_many_attempts`, `auth.busy`
   */
  async attempt<Result>(
    { email, address, isKnown }: AttemptSubject,
    check: () => Promise<Result | null>,
  ): Promise<Result | null> {
    const group = addressGroup(address);
    const keys = isKnown
      ? [this.digest('account from address', `${email} ${group}`)]
      : // The address first: one that has used up its share leaves no row of the accounts it invents.
        [this.digest('address', group), this.digest('account', email)];
    return this.limited(keys, check);
  }

  /** The same for who is signed in and proves it again: counted for this session alone. */
  async attemptInSession<Result>(
    sessionId: string,
    check: () => Promise<Result | null>,
  ): Promise<Result | null> {
    return this.limited([this.digest('session', sessionId)], check);
  }

  /** How an address is written down where somebody has signed in from it. */
  addressDigest(address: string): string {
    return this.digest('known address', addressGroup(address));
  }

  /**
   * Runs `check` when there is room for an attempt. What it resolves to is handed on; null says that the password was
   * wrong, and is counted. An error is counted too.
   *
   * @throws DomainError `auth.too_many_attempts`, `auth.busy`
   */
  private async limited<Result>(
    keys: readonly string[],
    check: () => Promise<Result | null>,
  ): Promise<Result | null> {
    const { limiter } = this;
    if (limiter === null) return this.turns.run([], check);
    // A caller over the limit is refused at once: it waits for nobody, and nobody waits for it.
    for (const key of keys) await this.refuseIfUsedUp(limiter, key);
    return this.turns.run(keys, async () => {
      const taken = await this.take(limiter, keys);
      const result = await check();
      if (result !== null) await this.giveBack(taken);
      return result;
    });
  }

  private async refuseIfUsedUp(limiter: RateLimiterPostgres, key: string): Promise<void> {
    const state = await limiter.get(key);
    if (state !== null && state.consumedPoints >= limiter.points) throw tooManySignIns(state.msBeforeNext);
  }

  /** Takes a point under each key, or none. */
  private async take(limiter: RateLimiterPostgres, keys: readonly string[]): Promise<TakenPoint[]> {
    const taken: TakenPoint[] = [];
    for (const key of keys) {
      try {
        taken.push(takenPoint(key, await limiter.consume(key)));
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        // Refused ones are counted as well; without this a right one that met them would stay counted.
        await this.giveBack([...taken, takenPoint(key, refusal)]);
        throw tooManySignIns(refusal.msBeforeNext);
      }
    }
    return taken;
  }

  /**
   * Only to the window a point came from: one that is given back to a later window would be one guess more there. The
   * next window ends at least a whole window later, so half of one tells them apart whatever the clocks' differences
   * are.
   */
  private async giveBack(taken: readonly TakenPoint[]): Promise<void> {
    for (const { key, windowEndsAtMs } of taken) {
      await this.database.execute(
        'UPDATE rate_limits SET points = points - 1 WHERE key = $1 AND points > 0 AND expire < $2',
        [`${KEY_PREFIX}:${key}`, Math.floor(windowEndsAtMs + this.windowMs / 2)],
      );
    }
  }

  /** Keyed digests: neither an e-mail address nor a guess at one can be found in the table. */
  private digest(kind: string, value: string): string {
    return createHmac('sha256', this.keySecret)
      .update(JSON.stringify([kind, value]))
      .digest('base64url');
  }
}

function takenPoint(key: string, state: RateLimiterRes): TakenPoint {
  return { key, windowEndsAtMs: Date.now() + state.msBeforeNext };
}
