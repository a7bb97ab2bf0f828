import { Injectable, Logger } from '@nestjs/common';
import { ServiceSettings } from '../../platform/config/index.js';
import { EventSubscriber, type HeardEvent } from '../../platform/events/index.js';
import { Clock } from '../../kernel/clock.js';
import { messageOf } from '../../kernel/error-text.js';
import { numberFromMinor } from '../../kernel/money.js';
import { PAYMENT_IN_REVIEW, PAYMENT_VERIFIED, PaymentsService } from '../../payments/index.js';
import { StoresService } from '../../stores/index.js';
import { type MailFacts, reviewMail, verifiedMail } from './mail-texts.js';
import { Mailer } from './mailer.js';

/** A mail that no server has taken for so long is given up, so that it does not keep back later ones for ever. */
const GIVE_UP_AFTER_MS = 3 * 86_400_000;

/** Tells a store's user (`notifyEmail`) what happened to its payments (contract 13.30). */
@Injectable()
export class PaymentMails extends EventSubscriber {
  readonly name = 'email';
  override readonly alsoHears = [PAYMENT_IN_REVIEW];
  /** Nobody wants a mail for every payment there has ever been. */
  override readonly from = 'now';

  private readonly logger = new Logger(PaymentMails.name);

  constructor(
    private readonly stores: StoresService,
    private readonly payments: PaymentsService,
    private readonly mailer: Mailer,
    private readonly settings: ServiceSettings,
    private readonly clock: Clock,
  ) {
    super();
  }

  async handle({ id, event, storeId, paymentId, createdAt }: HeardEvent): Promise<void> {
    if (paymentId === null || (event !== PAYMENT_VERIFIED && event !== PAYMENT_IN_REVIEW)) return;
    const store = await this.stores.get(storeId);
    if (store.notifyEmail === null) return;
    const facts = await this.factsOf(storeId, paymentId, store.name);
    try {
      await this.mailer.send(
        store.notifyEmail,
        id,
        event === PAYMENT_VERIFIED ? verifiedMail(facts) : reviewMail(facts),
      );
    } catch (error) {
      if (this.clock.now().getTime() - createdAt.getTime() < GIVE_UP_AFTER_MS) throw error;
      this.logger.error({ eventId: id }, `A mail is given up: ${messageOf(error)}`);
    }
  }

  private async factsOf(storeId: string, paymentId: string, storeName: string): Promise<MailFacts> {
    const payment = await this.payments.getOfStore(storeId, paymentId);
    return {
      storeName,
      paymentId,
      amount: numberFromMinor(payment.receivedAmountMinor ?? payment.amountMinor),
      currency: payment.receivedCurrency ?? payment.currency,
      provider: payment.provider,
      trxId: payment.trxId,
      customerName: payment.customerName,
      note: payment.note,
      reviewReason: payment.reviewReason,
      url: `${this.settings.publicUrl}/dashboard/stores/${storeId}/payments/${paymentId}`,
    };
  }
}
