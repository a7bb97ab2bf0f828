import { IsIn, IsOptional, IsString, IsUUID } from 'class-validator';
import {
  ApiProperty,
  ApiPropertyOptional,
  IsNotBlank,
  MaxCharacters,
  MayBeLeftOut,
} from '../../platform/http/index.js';
import { PaymentView } from '../payments/payments.dto.js';
import { ReceiptView } from '../receipts/receipts.dto.js';
import type { Ending } from './review.service.js';

export class ApproveBody {
  @ApiProperty({ example: 'Customer paid the rest in cash.', maxLength: 500 })
  @IsString()
  @IsNotBlank()
  @MaxCharacters(500)
  reason!: string;

  @ApiPropertyOptional({
    format: 'uuid',
    example: '019aa5b1-4c5d-7e6f-9a0b-1c2d3e4f5a6b',
    description: 'Chooses the receipt; required while the payment is `ambiguous`.',
  })
  @MayBeLeftOut()
  @IsUUID()
  receiptId?: string;
}

/** Decisions that need no id of a receipt. */
export const APPROVE_EXAMPLES = {
  approve: { summary: 'Accept what was received', value: { reason: 'Customer paid the rest in cash.' } },
};

const ENDINGS = ['release', 'void'] as const;

/** Says what happens to the receipt when a payment ends without money (contract 3.34). */
export class CancelBody {
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

export class MatchReceiptBody {
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
  return { receipt: body?.receipt ?? undefined, receiptId: body?.receiptId?.toLowerCase() };
}
