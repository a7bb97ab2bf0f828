import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Database, type Transaction } from '../../../platform/database/index.js';
import { Clock } from '../../../kernel/clock.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { idempotencyInProgress, idempotencyKeyReused } from '../payments.problems.js';

/** How long the first answer under an Idempotency-Key is given again, in milliseconds (contract 1.23). */
export const IDEMPOTENCY_TTL_MS = 24 * 3_600_000;

/** A caller's promise to repeat a request only with the same body, at the same place. */
export interface IdempotentRequest {
  readonly key: string;
  /** The path of the request: the same body elsewhere is another request (contract 1.22). */
  readonly path: string;
  /** The body as it came. */
  readonly body: string;
}

export interface IdempotentAnswer {
  readonly answer: string;
  readonly replayed: boolean;
}

/** Idempotency-Keys (contract 1.23): the first answer is committed together with what it tells about. */
@Injectable()
export class IdempotentAnswers {
  constructor(
    private readonly database: Database,
    private readonly kept: IdempotencyRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Does `work` once under a key of the store, and gives its answer (201) again for 24 h. `locks` are taken before
   * all else.
   *
   * @throws DomainError 422 `idempotency.key_reused` for another request; 409 `idempotency.in_progress` while the
   * first runs
   */
  async once(
    storeId: string,
    request: IdempotentRequest,
    work: (tx: Transaction) => Promise<string>,
    locks: readonly bigint[] = [],
  ): Promise<IdempotentAnswer> {
    const bodyHash = createHash('sha256').update(`${request.path}\n${request.body}`).digest();
    const now = this.clock.now();
    return this.database.transaction(
      async (tx) => {
        if (!(await this.kept.hold(tx, storeId, request.key))) throw idempotencyInProgress();
        const notBefore = new Date(now.getTime() - IDEMPOTENCY_TTL_MS);
        const stored = await this.kept.find(tx, storeId, request.key, notBefore);
        if (stored !== null) {
          if (!stored.bodyHash.equals(bodyHash)) throw idempotencyKeyReused();
          return { answer: stored.answer, replayed: true };
        }
        const answer = await work(tx);
        await this.kept.store(tx, storeId, request.key, { bodyHash, status: 201, answer }, now);
        return { answer, replayed: false };
      },
      { locks, storeId },
    );
  }
}
