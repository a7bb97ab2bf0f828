import { Injectable } from '@nestjs/common';
import { Database, isUniqueViolation } from '../../platform/database/index.js';
import { Clock } from '../../kernel/clock.js';
import { stringifyJson } from '../../kernel/raw-json.js';
import { OwnDeliveries } from '../../notifications/index.js';
import { type NewPayment, type Payment, PaymentsService } from '../../payments/index.js';
import { type Store, WebhookUrlPolicy } from '../../stores/index.js';
import { type Charge, chargeView } from './charge.js';
import { webhookAddressRefused } from './charges.problems.js';
import { ChargesRepository, type KeptCharge } from './charges.repository.js';

export const CHARGE_COMPLETED = 'create-charge.completed';

/** A payment made by a charge, or made otherwise and asked for here. */
const NO_CHARGE: Charge = {
  fullName: null,
  emailAddress: null,
  mobileNumber: null,
  metadata: null,
  webhookUrl: null,
};

/** Payments in the words of the clients that shops of this market have (contract 13.35). */
@Injectable()
export class ChargesService {
  constructor(
    private readonly database: Database,
    private readonly payments: PaymentsService,
    private readonly charges: ChargesRepository,
    private readonly webhookUrls: WebhookUrlPolicy,
    private readonly deliveries: OwnDeliveries,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError `request.invalid` when its webhook may not go there */
  async create(store: Store, input: NewPayment, charge: KeptCharge): Promise<Payment> {
    if (charge.webhookUrl !== null) {
      const verdict = this.webhookUrls.check(charge.webhookUrl);
      if (!verdict.allowed) throw webhookAddressRefused(verdict.reason);
    }
    return this.database.transaction(async (tx) => {
      const payment = await this.payments.create(store, input, tx);
      await this.charges.insert(tx, store.id, payment.id, charge);
      return payment;
    });
  }

  /** @throws DomainError `payment.not_found` when there is none, or when it is another store's */
  async view(storeId: string, paymentId: string): Promise<Record<string, unknown>> {
    const payment = await this.payments.getOfStore(storeId, paymentId);
    return chargeView((await this.charges.find(storeId, paymentId)) ?? withoutCharge(payment), payment);
  }

  /** Puts the webhook of a verified charge on its way; again does nothing. */
  async complete(storeId: string, paymentId: string): Promise<void> {
    const charge = await this.charges.find(storeId, paymentId);
    if (charge === null || charge.webhookUrl === null) return;
    const { webhookUrl: url, apiKeyHeader } = charge;
    const payment = await this.payments.getOfStore(storeId, paymentId);
    const event = {
      storeId,
      paymentId,
      event: CHARGE_COMPLETED,
      body: stringifyJson(chargeView(charge, payment)),
      createdAt: payment.verifiedAt ?? this.clock.now(),
      simulated: payment.simulated,
    };
    try {
      await this.database.transaction((tx) => this.deliveries.append(tx, event, { url, apiKeyHeader }));
    } catch (error) {
      if (!isUniqueViolation(error, 'events_once')) throw error;
    }
  }
}

function withoutCharge(payment: Payment): Charge {
  return { ...NO_CHARGE, fullName: payment.customerName, mobileNumber: payment.customerPhone };
}
