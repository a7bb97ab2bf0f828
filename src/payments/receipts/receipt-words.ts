/* The words in which a receipt is stored. */

export const RECEIPT_STATUSES = ['unmatched', 'matched', 'review', 'void', 'ignored'] as const;
export type ReceiptStatus = (typeof RECEIPT_STATUSES)[number];

export const RECEIPT_SOURCES = ['app', 'sms', 'simulate'] as const;
export type ReceiptSource = (typeof RECEIPT_SOURCES)[number];
