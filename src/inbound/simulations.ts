import { Injectable } from '@nestjs/common';
import { Clock } from '../kernel/clock.js';
import { type ReceiptResult, ReceiptIntake, simulationDisabled } from '../payments/index.js';
import { type Store, storeArchived } from '../stores/index.js';
import { receiptFromSimulation, type SimulateBody } from './inbound.dto.js';

/** Receipts that a user makes up, from wherever they ask for one (specification §2.4, contract 6.43). */
@Injectable()
export class Simulations {
  constructor(
    private readonly intake: ReceiptIntake,
    private readonly clock: Clock,
  ) {}

  /**
   * @param raw the request as it came, which is kept with the receipt
   * @throws DomainError `store.archived`, `simulate.disabled`; `request.invalid` when fields are missing
   */
  async simulate(store: Store, body: SimulateBody, raw: string): Promise<ReceiptResult> {
    if (store.archivedAt !== null) throw storeArchived();
    if (!store.simulationEnabled) throw simulationDisabled();
    return this.intake.take(store, receiptFromSimulation(body, raw, this.clock.now()));
  }
}
