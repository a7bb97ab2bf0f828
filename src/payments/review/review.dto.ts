import { Type } from 'class-transformer';
import { IsIn, IsObject, IsOptional, IsString, IsUUID, ValidateNested } from 'class-validator';
import {
  ApiProperty,
  ApiPropertyOptional,
  IsNotBlank,
  MaxCharacters,
  MayBeLeftOut,
} from '../../platform/http/index.js';
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
  @ApiPropertyOptional({ enum: PAYMENT_STATUSES, example: 'review' })
  @MayBeLeftOut()
  @IsIn(PAYMENT_STATUSES)
  status?: PaymentStatus;

  @ApiPropertyOptional({ enum: REVIEW_REASONS, nullable: true, example: 'ambiguous' })
  @IsOptional()
  @IsIn(REVIEW_REASONS)
  reviewReason?: ReviewReason | null;

  @ApiPropertyOptional({
    format: 'uuid',
    type: String,
    nullable: true,
    example: '019aa5b1-4c5d-7e6f-9a0b-1c2d3e4f5a6b',
    description: 'Id of the attached receipt; null: none was attached.',
  })
  @IsOptional()
  @IsUUID()
  receiptId?: string | null;
}

/** A decision that is refused if the payment is no longer what the caller saw. */
class SeenDecisionBody {
  @ApiPropertyOptional({
    type: SeenBody,
    description:
      'What the caller saw of the payment. If it differs, the answer is 409 `payment.changed`, and nothing happens.',
  })
  @MayBeLeftOut()
  @IsObject()
  @ValidateNested()
  @Type(() => SeenBody)
  seen?: SeenBody;
}

export class ApproveBody extends SeenDecisionBody {
  @ApiProperty({ example: 'Customer paid the rest in cash.', maxLength: 500 })
  @IsString()
  @IsNotBlank()
  @MaxCharacters(500)
  reason!: string;

  @ApiPropertyOptional({
    format: 'uuid',
    type: String,
    nullable: true,
    example: '019aa5b1-4c5d-7e6f-9a0b-1c2d3e4f5a6b',
    description:
      'Receipt over which the payment is approved; null: over none. Required if no receipt is attached to the payment.',
  })
  @IsOptional()
  @IsUUID()
  receiptId?: string | null;
}

/** Decisions that need no id of a receipt. */
export const APPROVE_EXAMPLES = {
  approve: { summary: 'Accept what was received', value: { reason: 'Customer paid the rest in cash.' } },
};

const ENDINGS = ['release', 'void'] as const;

/** Says what happens to the receipt when a payment ends without money (contract 3.34). */
export class CancelBody extends SeenDecisionBody {
  @ApiPropertyOptional({
    enum: ENDINGS,
    nullable: true,
    description:
      '`release`: it is free, and a waiting payment that fits it exactly is matched at once; `void`: its money went back, or was for something else, and never pays anything again. Left out: free, but who waits for it stays in `review` until a person approves.',
  })
  @IsOptional()
  @IsIn(ENDINGS)
  receipt?: 'release' | 'void' | null;

  @ApiPropertyOptional({
    format: 'uuid',
    nullable: true,
    type: String,
    example: '019aa5b1-4c5d-7e6f-9a0b-1c2d3e4f5a6b',
    description: 'Which receipt is void, where several are possible.',
  })
  @IsOptional()
  @IsUUID()
  receiptId?: string | null;
}

export class RejectBody extends CancelBody {
  @ApiProperty({ example: 'Refunded to the sender.', maxLength: 500 })
  @IsString()
  @IsNotBlank()
  @MaxCharacters(500)
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
  @ApiProperty({ example: 'Refunded to the sender.', maxLength: 500 })
  @IsString()
  @IsNotBlank()
  @MaxCharacters(500)
  reason!: string;
}

export class MatchReceiptBody extends SeenDecisionBody {
  @ApiProperty({ format: 'uuid', example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' })
  @IsUUID()
  paymentId!: string;

  @ApiProperty({ example: 'Customer sent a screenshot.', maxLength: 500 })
  @IsString()
  @IsNotBlank()
  @MaxCharacters(500)
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
