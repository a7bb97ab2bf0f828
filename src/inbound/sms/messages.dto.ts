import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MaxCharacters, OneOf, PageQuery, Text } from '../../platform/http/index.js';
import {
  ACCOUNT_TYPES,
  type AccountType,
  MAX_MESSAGE_CHARACTERS,
  MESSAGE_REASONS,
  type Reading,
} from '../../wallets/index.js';
import type { Message, MessageStatus } from './messages.repository.js';
import type { SentOutcome } from '../../payments/index.js';
import { fieldsOf } from './messages.service.js';

/** The outcomes of a message. */
export const MESSAGE_STATUSES = ['receipt', 'ignored', 'unread'] as const;
const TEXT = { nullable: true, type: String } as const;
const INSTANT = { ...TEXT, format: 'date-time' } as const;

export class MessageQuery extends PageQuery {
  @OneOf(MESSAGE_STATUSES, { optional: true })
  status?: MessageStatus;
}

export class RuleView {
  @ApiProperty({ example: 'bkash.send_money' })
  name!: string;

  @ApiProperty({ example: 1, type: 'integer', description: 'Counted up when the wallet’s wording changes.' })
  version!: number;
}

/** The fields that were read from a text; a field that the text lacks is null. */
export class MessageFieldsView {
  @ApiProperty({ ...TEXT, example: 'bkash' })
  provider!: string | null;

  @ApiProperty({ enum: ['received', 'sent'], example: 'received' })
  kind!: 'received' | 'sent';

  @ApiProperty({ ...TEXT, example: 'DIJ3MXAHCJ' })
  trxId!: string | null;

  @ApiProperty({ nullable: true, type: Number, example: 500 })
  amount!: number | null;

  @ApiProperty({ ...TEXT, example: 'BDT' })
  currency!: string | null;

  @ApiProperty({ ...TEXT, example: '01700000002', description: 'As the wallet wrote it, masked or not.' })
  counterparty!: string | null;

  @ApiProperty({ nullable: true, type: Number, example: 1504.5 })
  balance!: number | null;

  @ApiProperty({ ...INSTANT, example: '2026-09-18T18:57:00.000Z', description: 'The time in the text.' })
  receivedAt!: string | null;

  @ApiProperty({ ...TEXT, example: null })
  last4digit!: string | null;

  @ApiPropertyOptional({
    enum: ['confirmed', 'repeated', 'other_amount', 'unknown'],
    description: 'Money that went out: what it is to the recorded refund of its TrxID.',
  })
  refund?: SentOutcome;
}

const REASON = {
  ...TEXT,
  example: null,
  description: `Why it is no receipt: ${MESSAGE_REASONS.join(', ')}. Further words may come.`,
} as const;

export class MessageView {
  @ApiProperty({ format: 'uuid', example: '019aa5b1-4c5d-7e6f-9a0b-1c2d3e4f5a6b' })
  id!: string;

  @ApiProperty({ format: 'uuid', example: '019aa5a1-02f6-7b1d-8a59-6f1f2f6d5a10' })
  storeId!: string;

  @ApiProperty({ enum: MESSAGE_STATUSES, example: 'receipt' })
  status!: MessageStatus;

  @ApiProperty(REASON)
  reason!: string | null;

  @ApiProperty({ ...TEXT, example: 'bkash' })
  provider!: string | null;

  @ApiProperty({ ...TEXT, example: 'bKash' })
  sender!: string | null;

  @ApiProperty({ example: 'You have received Tk 500.00 from 01700000002. …', description: 'As it came.' })
  text!: string;

  @ApiProperty({ ...TEXT, example: 'smsgate', description: 'The app that forwarded it.' })
  app!: string | null;

  @ApiProperty({ ...TEXT, example: '1' })
  sim!: string | null;

  @ApiProperty({ ...INSTANT, example: null, description: 'The network’s time stamp.' })
  sentAt!: string | null;

  @ApiProperty({ ...INSTANT, example: '2026-09-18T18:57:04.000Z', description: 'The phone’s clock.' })
  receivedAt!: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-09-18T18:57:05.123Z' })
  arrivedAt!: string;

  @ApiProperty({ type: RuleView, nullable: true })
  rule!: RuleView | null;

  @ApiProperty({ type: MessageFieldsView, nullable: true })
  fields!: MessageFieldsView | null;

  @ApiProperty({ ...TEXT, format: 'uuid', example: '019aa5b1-4c5d-7e6f-9a0b-1c2d3e4f5a6c' })
  receiptId!: string | null;
}

export class MessagePage {
  @ApiProperty({ type: [MessageView] })
  data!: MessageView[];

  @ApiProperty({ ...TEXT, example: null, description: 'Where the next page begins; null on the last one.' })
  nextCursor!: string | null;
}

export class ParseBody {
  @Text({ blank: true, example: 'bKash', description: 'The sender id as the phone shows it.' })
  @MaxCharacters(200)
  sender!: string;

  @Text({
    max: MAX_MESSAGE_CHARACTERS,
    blank: true,
    example:
      'You have received Tk 500.00 from 01700000002. Fee Tk 0.00. Balance Tk 1,504.50. TrxID DIJ3MXAHCJ at 19/09/2026 00:57',
  })
  text!: string;

  @OneOf(ACCOUNT_TYPES, {
    nullable: true,
    description: 'Of the account that received it; personal or merchant when left out.',
  })
  accountType?: AccountType | null;
}

export const PARSE_EXAMPLES = {
  receipt: {
    summary: 'Money that came in',
    value: {
      sender: 'bKash',
      text: 'You have received Tk 500.00 from 01700000002. Fee Tk 0.00. Balance Tk 1,504.50. TrxID DIJ3MXAHCJ at 19/09/2026 00:57',
    },
  },
  outgoing: {
    summary: 'Money that went out',
    value: {
      sender: 'bKash',
      text: 'Send Money Tk 510.00 to 01700000001 successful. Ref Abc. Fee Tk 5.00. Balance Tk 4,479.65. TrxID DCK1B9P81H at 20/03/2026 00:08',
    },
  },
};

export class ParseView {
  @ApiProperty({ enum: MESSAGE_STATUSES, example: 'receipt' })
  status!: MessageStatus;

  @ApiProperty(REASON)
  reason!: string | null;

  @ApiProperty({ ...TEXT, example: 'bkash' })
  provider!: string | null;

  @ApiProperty({ type: RuleView, nullable: true })
  rule!: RuleView | null;

  @ApiProperty({ type: MessageFieldsView, nullable: true })
  fields!: MessageFieldsView | null;
}

export class RereadView {
  @ApiProperty({ type: 'integer', example: 12, description: 'Unread texts that were read again.' })
  read!: number;

  @ApiProperty({ type: 'integer', example: 3, description: 'Those that are receipts by today’s rules.' })
  receipts!: number;

  @ApiProperty({ type: 'integer', example: 1 })
  ignored!: number;

  @ApiProperty({ type: 'integer', example: 8, description: 'Those that are unread still.' })
  unread!: number;
}

export class SmsResultView {
  @ApiPropertyOptional({ format: 'uuid', description: 'Of a receipt.' })
  receiptId?: string;

  @ApiPropertyOptional({ format: 'uuid', description: 'Of a text that is no receipt, or cannot be read.' })
  messageId?: string;

  @ApiProperty({
    enum: ['matched', 'unmatched', 'review', 'duplicate', 'ignored', 'unread'],
    example: 'matched',
    description: 'As of a receipt from the phone app; `unread`: nobody knows this wording, a user must look.',
  })
  status!: 'matched' | 'unmatched' | 'review' | 'duplicate' | 'ignored' | 'unread';

  @ApiPropertyOptional({
    enum: [...MESSAGE_REASONS, 'no_message'],
    description: 'Why it is no receipt. Further words may come.',
  })
  reason?: string;

  @ApiPropertyOptional({ format: 'uuid' })
  paymentId?: string;
}

export function messageView(message: Message): MessageView {
  const { ruleName, ruleVersion } = message;
  return {
    id: message.id,
    storeId: message.storeId,
    status: message.status,
    reason: message.reason,
    provider: message.provider,
    sender: message.sender,
    text: message.text,
    app: message.app,
    sim: message.sim,
    sentAt: message.sentAt?.toISOString() ?? null,
    receivedAt: message.receivedAt?.toISOString() ?? null,
    arrivedAt: message.arrivedAt.toISOString(),
    rule: ruleName === null || ruleVersion === null ? null : { name: ruleName, version: ruleVersion },
    fields: message.fields as MessageFieldsView | null,
    receiptId: message.receiptId,
  };
}

export function parseView(reading: Reading): ParseView {
  const { status, reason, provider, rule } = reading;
  return { status, reason, provider, rule, fields: fieldsOf(reading) as MessageFieldsView | null };
}
