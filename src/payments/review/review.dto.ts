import { ApiProperty } from '@nestjs/swagger';
import { Id, Nested, OneOf, Text } from '../../platform/http/index.js';
import {
  PAYMENT_STATUSES,
  type PaymentStatus,
  REVIEW_REASONS,
  type ReviewReason,
} from '../payments/payment.js';
import { PaymentView } from '../payments/payments.dto.js';
import { ReceiptView } from '../receipts/receipts.dto.js';
import type { Approval, Ending, SeenPayment } from './review.service.js';

/** The payment as the caller saw it; a key that is left out is not compared (contract 3.45). */
export class SeenBody {
  @OneOf(PAYMENT_STATUSES, { optional: true, example: 'review' })
  status?: PaymentStatus;

  @OneOf(REVIEW_REASONS, { nullable: true, example: 'ambiguous' })
  reviewReason?: ReviewReason | null;

  @Id({
    nullable: true,
    example: '019aa5b1-4c5d-7e6f-9a0b-1c2d3e4f5a6b',
    description: 'Id of the attached receipt; null: none was attached.',
  })
  receiptId?: string | null;
}

/** A decision that is refused if the payment is no longer what the caller saw. */
class SeenDecisionBody {
  @Nested(SeenBody, {
    optional: true,
    description:
      'What the caller saw of the payment. If it differs, the answer is 409 `payment.changed`, and nothing happens.',
  })
  seen?: SeenBody;
}

export class ApproveBody extends SeenDecisionBody {
  @Text({ max: 500, example: 'Customer paid the rest in cash.' })
  reason!: string;

  @Id({
    nullable: true,
    example: '019aa5b1-4c5d-7e6f-9a0b-1c2d3e4f5a6b',
    description:
      'Receipt over which the payment is approved; null: over none. Required if no receipt is attached to the payment.',
  })
  receiptId?: string | null;
}

/** Decisions that need no id of a receipt. */
export const APPROVE_EXAMPLES = {
  approve: { summary: 'Accept what was received', value: { reason: 'Customer paid the rest in cash.' } },
};

const ENDINGS = ['release', 'void'] as const;

/** Says what happens to the receipt when a payment ends without money (contract 3.34). */
export class CancelBody extends SeenDecisionBody {
  @OneOf(ENDINGS, {
    nullable: true,
    description:
      '`release`: it can be matched again, and a waiting payment that fits it exactly is matched at once; `void`: its money went back, or was for something else, and never pays anything again. Left out: free, but who waits for it stays in `review` until a person approves.',
  })
  receipt?: 'release' | 'void' | null;

  @Id({
    nullable: true,
    example: '019aa5b1-4c5d-7e6f-9a0b-1c2d3e4f5a6b',
    description: 'Which receipt is void, where several are possible.',
  })
  receiptId?: string | null;
}

export class RejectBody extends CancelBody {
  @Text({ max: 500, example: 'Refunded to the sender.' })
  reason!: string;
}

export const REJECT_EXAMPLES = {
  refunded: {
    summary: 'The money went back',
    value: { reason: 'Refunded to the sender.', receipt: 'void' },
  },
  mistaken: {
    summary: 'It is somebody else’s money',
    value: { reason: 'Entered for the wrong order.', receipt: 'release' },
  },
};

export const CANCEL_EXAMPLES = {
  nothing: { summary: 'Without a word about a receipt', value: {} },
  refunded: { summary: 'The money went back', value: { receipt: 'void' } },
};

export class ReceiptReasonBody {
  @Text({ max: 500, example: 'Refunded to the sender.' })
  reason!: string;
}

export class MatchReceiptBody extends SeenDecisionBody {
  @Id({ example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' })
  paymentId!: string;

  @Text({ max: 500, example: 'Customer sent a screenshot.' })
  reason!: string;
}

export class MatchedReceiptView extends ReceiptView {
  @ApiProperty({ type: PaymentView })
  payment!: PaymentView;
}

export function endingOf(body: CancelBody | null | undefined): Ending {
  return {
    receipt: body?.receipt ?? undefined,
    receiptId: body?.receiptId?.toLowerCase(),
    seen: seenOf(body?.seen),
  };
}

/** The same with ids in their one spelling. */
export function seenOf(seen: SeenBody | undefined): SeenPayment | undefined {
  if (seen?.receiptId == null) return seen;
  return { ...seen, receiptId: seen.receiptId.toLowerCase() };
}

/** The choice of `approve`: undefined is the attached receipt, null is none. */
export function approvalOf(body: ApproveBody): Approval {
  return {
    reason: body.reason,
    receiptId: body.receiptId?.toLowerCase() ?? body.receiptId,
    seen: seenOf(body.seen),
  };
}
