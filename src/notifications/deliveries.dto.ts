import { ApiProperty } from '@nestjs/swagger';
import { Id, OneOf, type Page, PageQuery } from '../platform/http/index.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from './deliveries.table.js';
import type { DeliveryRow } from './deliveries.repository.js';
import type { WebhookOutcome } from './sending/webhook-sender.js';

export const EXAMPLE_BODY =
  '{"event":"payment.verified","paymentId":"019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55",' +
  '"storeId":"019aa5a1-02f6-7b1d-8a59-6f1f2f6d5a10","amount":1250.5,"currency":"BDT","provider":"bkash",' +
  '"trxId":"CKL9ABC123","payerNumber":"01700000001","customerName":"Rahima Khatun",' +
  '"customerPhone":"01800000002","note":"Order 1042","verifiedAt":"2026-11-21T08:20:09.123Z"}';

export const ERROR_DESCRIPTION =
  'Why it was no success, in coarse words: `timeout`, `dns_failed`, `address_refused`, `connection_failed`, ' +
  '`tls_failed`, `invalid_response`, `redirect` (they are not followed), `http_status`, `overloaded` or `aborted` ' +
  '(both of them on our side). `null` after a 2xx.';

export class DeliveryQuery extends PageQuery {
  @OneOf(DELIVERY_STATUSES, { optional: true })
  status?: DeliveryStatus;

  @Id({ optional: true, description: 'Deliveries of this payment only.' })
  paymentId?: string;
}

export class DeliveryAttemptView {
  @ApiProperty({ format: 'date-time', example: '2026-11-21T08:20:09.131Z', description: 'When it began.' })
  at!: string;

  @ApiProperty({ example: 87, description: 'Milliseconds.' })
  durationMs!: number;

  @ApiProperty({ example: 500, nullable: true, type: 'integer', description: '`null` when none came.' })
  responseStatus!: number | null;

  @ApiProperty({ example: 'http_status', nullable: true, type: String, description: ERROR_DESCRIPTION })
  error!: string | null;

  @ApiProperty({
    example: 'Internal Server Error',
    nullable: true,
    type: String,
    description: 'The beginning of the response body, at most 1 KiB.',
  })
  responseExcerpt!: string | null;
}

export class DeliveryView {
  @ApiProperty({
    format: 'uuid',
    example: '019aa5b1-90aa-7a39-9c8f-5d2d8f4e1a77',
    description: 'The id of its event, too: the `webhook-id` under which it is sent.',
  })
  id!: string;

  @ApiProperty({
    format: 'uuid',
    example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55',
    nullable: true,
    type: String,
    description: '`null` for an event that is about no payment.',
  })
  paymentId!: string | null;

  @ApiProperty({ example: 'payment.verified' })
  event!: string;

  @ApiProperty({
    enum: DELIVERY_STATUSES,
    description:
      '`pending`: an attempt is to come or under way; `delivered`: a 2xx came; `failed`: the schedule is used up; ' +
      '`held`: the store has no webhook URL, or it is paused; it goes out when that ends.',
  })
  status!: DeliveryStatus;

  @ApiProperty({
    type: [DeliveryAttemptView],
    description: 'Oldest first; the latest 100. Old ones are not kept.',
  })
  attempts!: DeliveryAttemptView[];

  @ApiProperty({
    format: 'date-time',
    example: '2026-11-21T08:20:14.620Z',
    nullable: true,
    type: String,
    description: '`null` unless pending. In the past while an attempt is under way.',
  })
  nextAttemptAt!: string | null;

  @ApiProperty({
    example: EXAMPLE_BODY,
    nullable: true,
    type: String,
    description:
      'The exact text that is sent; its UTF-8 bytes are signed. `null` when it was delivered so long ago that it is not kept.',
  })
  body!: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T08:20:09.123Z' })
  createdAt!: string;
}

export class DeliveryPage {
  @ApiProperty({ type: [DeliveryView] })
  data!: DeliveryView[];

  @ApiProperty({ nullable: true, type: String })
  nextCursor!: string | null;
}

export class WebhookTestView {
  @ApiProperty({ example: true, description: 'A 2xx status came in time.' })
  ok!: boolean;

  @ApiProperty({ example: 200, nullable: true, type: 'integer' })
  responseStatus!: number | null;

  @ApiProperty({ example: 42, description: 'Milliseconds.' })
  durationMs!: number;

  @ApiProperty({ example: null, nullable: true, type: String, description: ERROR_DESCRIPTION })
  error!: string | null;

  @ApiProperty({ example: 'ok', nullable: true, type: String })
  responseExcerpt!: string | null;
}

export function deliveryView(row: DeliveryRow): DeliveryView {
  return {
    id: row.id,
    paymentId: row.paymentId,
    event: row.event,
    status: row.status,
    attempts: row.attempts.map((attempt) => ({ ...attempt, at: attempt.at.toISOString() })),
    nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
    body: row.body,
    createdAt: row.createdAt.toISOString(),
  };
}

export function deliveryPage(page: Page<DeliveryRow>): DeliveryPage {
  return { data: page.data.map(deliveryView), nextCursor: page.nextCursor };
}

export function webhookTestView(outcome: WebhookOutcome): WebhookTestView {
  const { ok, responseStatus, durationMs, error, responseExcerpt } = outcome;
  return { ok, responseStatus, durationMs, error, responseExcerpt };
}
