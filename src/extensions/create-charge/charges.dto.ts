import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** The body of a request of this API; `chargeOf` checks it, since texts and numbers are alike to these clients. */
export class CreateChargeBody {
  @ApiPropertyOptional({ type: String, example: 'Rahim Uddin', maxLength: 200 })
  full_name?: string;

  @ApiPropertyOptional({ type: String, example: '01700000002', maxLength: 254 })
  email_mobile?: string;

  @ApiProperty({ oneOf: [{ type: 'number' }, { type: 'string' }], example: 500 })
  amount!: number | string;

  @ApiPropertyOptional({ type: String, example: 'BDT' })
  currency?: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, example: { invoiceid: '1001' } })
  metadata?: unknown;

  @ApiPropertyOptional({ type: String, example: 'https://shop.example.com/thanks', maxLength: 2048 })
  redirect_url?: string;

  @ApiPropertyOptional({ type: String, example: 'https://shop.example.com/cart', maxLength: 2048 })
  cancel_url?: string;

  @ApiPropertyOptional({ type: String, example: 'https://shop.example.com/ipn', maxLength: 2048 })
  webhook_url?: string;

  @ApiPropertyOptional({ type: String, example: 'GET', description: 'Accepted, and without effect.' })
  return_type?: string;
}

export class CheckoutRedirectBody {
  @ApiPropertyOptional({ type: String, example: 'Rahim Uddin', maxLength: 200 })
  full_name?: string;

  @ApiPropertyOptional({ type: String, example: 'rahim@example.com', maxLength: 254 })
  email_address?: string;

  @ApiPropertyOptional({ type: String, example: '01700000002', maxLength: 32 })
  mobile_number?: string;

  @ApiProperty({ oneOf: [{ type: 'number' }, { type: 'string' }], example: '500.00' })
  amount!: number | string;

  @ApiPropertyOptional({ type: String, example: 'BDT' })
  currency?: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, example: { invoiceid: '1001' } })
  metadata?: unknown;

  @ApiPropertyOptional({ type: String, example: 'https://shop.example.com/thanks', maxLength: 2048 })
  return_url?: string;

  @ApiPropertyOptional({ type: String, example: 'https://shop.example.com/ipn', maxLength: 2048 })
  webhook_url?: string;
}

export class VerifyChargeBody {
  @ApiProperty({ type: String, format: 'uuid', example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' })
  pp_id!: string;
}

export class ChargeCreatedView {
  @ApiProperty({ type: Boolean, example: true })
  status!: boolean;

  @ApiProperty({ type: String, format: 'uuid', example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' })
  pp_id!: string;

  @ApiProperty({ type: String, example: 'https://pay.example.com/pay/019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' })
  pp_url!: string;
}

export class ChargeRedirectView {
  @ApiProperty({ type: String, format: 'uuid', example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' })
  pp_id!: string;

  @ApiProperty({ type: String, example: 'https://pay.example.com/pay/019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' })
  pp_url!: string;
}

const text = (example: string) => ({ type: 'string', example });
const money = { type: 'number', example: 500 };

/** The answer of `verify-payment`, and the body of the webhook. */
export const CHARGE_SCHEMA = {
  type: 'object',
  properties: {
    pp_id: { type: 'string', format: 'uuid', example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' },
    full_name: text('Rahim Uddin'),
    email_address: text('N/A'),
    mobile_number: text('01700000002'),
    gateway: text('bkash'),
    amount: money,
    fee: { type: 'number', example: 0 },
    discount_amount: { type: 'number', example: 0 },
    total: money,
    local_net_amount: money,
    currency: text('BDT'),
    local_currency: text('BDT'),
    metadata: { description: 'As it came; `N/A` when none did.', example: { invoiceid: '1001' } },
    sender: text('01700000002'),
    transaction_id: text('DIJ3MXAHCJ'),
    status: { type: 'string', enum: ['pending', 'completed', 'canceled', 'expired'], example: 'completed' },
    date: { type: 'string', format: 'date-time', example: '2026-11-21T08:20:09.123Z' },
  },
  required: [
    ...[
      'pp_id',
      'full_name',
      'email_address',
      'mobile_number',
      'gateway',
      'amount',
      'fee',
      'discount_amount',
    ],
    ...['total', 'local_net_amount', 'currency', 'local_currency', 'metadata', 'sender', 'transaction_id'],
    ...['status', 'date'],
  ],
};

const ERROR_FIELDS = {
  type: 'object',
  properties: { code: text('request.invalid'), message: text('/amount: must be a number more than 0') },
  required: ['code', 'message'],
};

export const CHARGE_ERROR_SCHEMA = {
  type: 'object',
  properties: { error: ERROR_FIELDS },
  required: ['error'],
};
