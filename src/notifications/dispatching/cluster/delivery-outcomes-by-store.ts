import { Injectable } from '@nestjs/common';
import type { Statement, Transaction } from '../../../platform/database/index.js';
import {
  ATTEMPT_COLUMNS,
  DeliveryOutcomesRepository,
  type Numbered,
  storable,
} from '../delivery-outcomes.repository.js';
import { outcomeStatements } from '../outcome-statements.js';
import type { DeliveryOutcome } from '../outcomes.js';

const ATTEMPT: Statement = {
  name: 'delivery-attempts-append',
  text: `INSERT INTO delivery_attempts (${ATTEMPT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
};

/** The same on a cluster: a transaction for each store, on the store's node. */
@Injectable()
export class DeliveryOutcomesByStore extends DeliveryOutcomesRepository {
  protected override readonly statements = outcomeStatements('store');

  /** `again`: an earlier try may have been committed for some of the stores. */
  override async record(batch: readonly DeliveryOutcome[], again: boolean): Promise<void> {
    for (const storeId of new Set(batch.map((outcome) => outcome.storeId))) {
      const ofStore = batch.filter((outcome) => outcome.storeId === storeId);
      await super.record(ofStore, again);
    }
  }

  protected override lastValueOf([first]: readonly DeliveryOutcome[]): unknown {
    return first!.storeId;
  }

  protected override async append(tx: Transaction, attempts: readonly Numbered[]): Promise<void> {
    await Promise.all(attempts.map((one) => tx.execute(ATTEMPT, attemptRow(one))));
  }
}

function attemptRow({ outcome, attempt, number }: Numbered): unknown[] {
  const { at, durationMs, responseStatus, error, responseExcerpt } = attempt;
  return [
    outcome.deliveryId,
    outcome.storeId,
    number,
    at,
    durationMs,
    responseStatus,
    error,
    storable(responseExcerpt),
  ];
}
