import { randomBytes } from 'node:crypto';
import { type Algorithm, hash, type Options, verify } from '@node-rs/argon2';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { tooBusy } from '../accounts.problems.js';
import { Slots } from './turns.js';

/** Characters of a password (contract 2.16). */
export const MIN_PASSWORD_CHARACTERS = 10;
export const MAX_PASSWORD_CHARACTERS = 128;

/** The package declares its enumeration but does not export it at run time. */
const ARGON2ID = 2 satisfies Algorithm.Argon2id;

/** OWASP's first choice for Argon2id with little memory: 19 MiB, two passes, one quota; about 15 ms of a core. */
const PARAMETERS: Options = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * How many passwords are computed at once. Each takes 19 MiB and one of the four threads that Node also resolves
 * names and reads files with; the others stay free for that.
 */
const COMPUTATIONS_AT_ONCE = 2;
/** At about 15 ms each, who comes last waits for 3 s. */
const MAX_WAITING = 400;

/** Argon2id (contract 2.16), never more than two computations at once. */
@Injectable()
export class PasswordHasher implements OnModuleInit {
  private readonly slots = new Slots(COMPUTATIONS_AT_ONCE, MAX_WAITING, tooBusy);
  private hashOfNobody = '';

  async onModuleInit(): Promise<void> {
    this.hashOfNobody = await this.hash(randomBytes(32).toString('base64'));
  }

  /** @throws DomainError `auth.busy` when too many wait already */
  async hash(password: string): Promise<string> {
    return this.slots.run(() => hash(normalized(password), PARAMETERS));
  }

  /**
   * Always computes once, so that the time does not tell whether there is an account: `passwordHash` is null when
   * there is none, and then nothing fits.
   *
   * @throws DomainError `auth.busy` when too many wait already
   */
  async verify(passwordHash: string | null, password: string): Promise<boolean> {
    const isRight = await this.slots.run(() =>
      verify(passwordHash ?? this.hashOfNobody, normalized(password)),
    );
    return isRight && passwordHash !== null;
  }
}

/**
 * Keyboards write the same Bangla letter as one code point or as two; one user's two devices must not have two
 * passwords (NIST SP 800-63B §5.1.1.2).
 */
function normalized(password: string): string {
  return password.normalize('NFKC');
}
