import { duration, integer, settings } from '../platform/config/index.js';

/** A setting of payments; it also says how often a phone’s signs of life are stored. */
export const QR_WINDOW = duration(
  'QR_WINDOW',
  '3m',
  'How far submission and receipt of a Bangla QR payment may lie apart.',
);

export abstract class StoresSettings extends settings({
  storesPerMerchant: integer(
    'STORES_PER_MERCHANT',
    100,
    'Live stores that one merchant may own.',
    [1, 1_000_000],
  ),
  phoneSilentAfterMs: duration(
    'PHONE_SILENT_AFTER',
    '15m',
    'A phone not heard for so long while payments wait is shown as silent.',
    1_000,
  ),
  qrWindowMs: QR_WINDOW,
}) {}
