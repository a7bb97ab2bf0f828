import { invalidInput } from '../../../kernel/domain-error.js';
import { isId } from '../../../kernel/ids.js';
import {
  compareMoney,
  MatchReceiptBody,
  type Payment,
  PaymentQuery,
  PaymentsService,
  phoneAgreement,
  type Receipt,
  ReceiptQuery,
  ReceiptsService,
  ReviewService,
} from '../../../payments/index.js';
import { html } from '../../../platform/web/html.js';
import { renderForm, renderRadios } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { InBothLanguages, PageAnswer } from '../../kit/page-definition.js';
import { renderCode, renderEmpty, renderMoney, renderTime, walletName } from '../../kit/parts.js';
import { renderReason } from '../reason.js';
import type { Visit } from '../../kit/visit.js';
import { readSeen, seenFields } from '../payment/seen-payment.js';
import { statusWords } from '../../kit/words.js';
import { TEXT } from './words.js';

/** How many payments are looked at for those to propose. */
export const PAYMENTS_LOOKED_AT = 100;

const MAX_PROPOSALS = 10;

/** The unmatched receipts that one payment could have, for whoever comes from the payment. */
@DashboardPage({
  scope: 'store',
  path: 'payments/:paymentId/match',
  name: { en: 'Match a receipt', bn: 'রসিদ মেলান' },
  role: 'reviewer',
})
export class MatchPage {
  constructor(
    private readonly receipts: ReceiptsService,
    private readonly payments: PaymentsService,
    private readonly review: ReviewService,
  ) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const payment = await this.payments.getOfStore(visit.store.id, visit.idOf('paymentId'));
    const query = await visit.checked(ReceiptQuery, { status: 'unmatched', limit: PAYMENTS_LOOKED_AT });
    const { data } = await this.receipts.listOfStore(visit.store.id, 'unmatched', query);
    const sorted = [...data].sort(
      (one, other) => nearness(payment, other).length - nearness(payment, one).length,
    );
    if (sorted.length === 0) return visit.shown(renderEmpty(visit.say(TEXT.empty)));
    const choices = sorted.slice(0, MAX_PROPOSALS).map((receipt) => ({
      value: receipt.id,
      text: html`${renderMoney(visit, receipt.amountMinor, receipt.currency)} ·
      ${walletName(visit, receipt.provider)} · ${renderCode(receipt.trxId ?? receipt.last4digit)} ·
      ${renderTime(visit, receipt.receivedAt)}
      ${nearness(payment, receipt).map((why) => html` · ${visit.say(why)}`)}`,
    }));
    const fields = html`${renderRadios(visit, { name: 'receiptId', legend: visit.say(TEXT.one), choices, required: true })}
    ${renderReason(visit)}`;
    return visit.shown(
      html`<section class="card">
        <p class="hint">${visit.say(TEXT.matchLead)}</p>
        ${renderForm(
          visit,
          {
            action: visit.inStore(`payments/${payment.id}/match`),
            submit: TEXT.match,
            hidden: seenFields([payment]),
          },
          fields,
        )}
      </section>`,
    );
  }

  @PageAction('', { role: 'reviewer', refusedTo: 'show', findsTyped: true })
  async match(visit: Visit): Promise<PageAnswer> {
    const paymentId = visit.idOf('paymentId');
    const decision = await visit.checked(MatchReceiptBody, {
      paymentId,
      reason: visit.field('reason').trim(),
      ...readSeen(visit, paymentId),
    });
    const receiptId = visit.field('receiptId').toLowerCase();
    if (!isId(receiptId)) throw invalidInput([{ pointer: '/receiptId', detail: 'must be one of these' }]);
    const { payment } = await this.review.match(visit.caller, visit.store.id, receiptId, decision);
    const done = payment.status === 'verified' ? 'matched' : 'review';
    return visit.goTo(visit.inStore(`payments/${payment.id}`), done);
  }
}

interface ProposedPayment {
  readonly payment: Payment;
  readonly why: readonly InBothLanguages[];
}

/** Open payments that this money could be for, the likeliest first. A user decides; nothing here does. */
export async function listProposedPayments(
  visit: Visit,
  payments: PaymentsService,
  receipt: Receipt,
): Promise<ProposedPayment[]> {
  const lists = await Promise.all(
    (['pending', 'submitted', 'review', 'expired'] as const).map(async (status) => {
      const query = await visit.checked(PaymentQuery, { status, limit: PAYMENTS_LOOKED_AT });
      return (await payments.listOfStore(visit.store.id, { status }, query)).data;
    }),
  );
  return lists
    .flat()
    .map((payment) => ({ payment, why: nearness(payment, receipt) }))
    .sort(
      (one, other) =>
        other.why.length - one.why.length ||
        other.payment.createdAt.getTime() - one.payment.createdAt.getTime(),
    )
    .slice(0, MAX_PROPOSALS);
}

/** Why a payment and a receipt may belong together, by the rules of matching. */
function nearness(payment: Payment, receipt: Receipt): InBothLanguages[] {
  const { submission } = payment;
  const typed = submission?.kind === 'trx_id' ? submission.trxId : submission?.last4digit;
  const wallet = submission?.provider ?? payment.requestedProvider;
  return [
    ...(compareMoney(payment, receipt) === null ? [TEXT.sameAmount] : []),
    ...(typed !== undefined && typed === (receipt.trxId ?? receipt.last4digit) ? [TEXT.sameTrxId] : []),
    ...(phoneAgreement(payment.customerPhone, receipt.counterparty) === 'agrees' ? [TEXT.samePhone] : []),
    ...(wallet !== null && wallet === receipt.provider ? [TEXT.sameWallet] : []),
  ];
}

export function proposalText(visit: Visit, payment: Payment, why: readonly InBothLanguages[]): string {
  const parts = [
    visit.money(payment.payAmountMinor, payment.currency),
    // First what speaks for it: a narrow screen cuts the rest off.
    (why.length === 0 ? [TEXT.fitsNone] : why).map((words) => visit.say(words)).join(', '),
    payment.customerName ?? payment.customerPhone ?? payment.note,
    visit.say(statusWords(payment.status)),
    payment.id.slice(-8),
  ];
  return parts.filter((part) => part !== null).join(' · ');
}
