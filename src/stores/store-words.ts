/* The words in which a store's settings are stored. */

/**
 * The secret that signs `X-Service-Signature` (specification §5.7 names both; contract 7.10 lets the store choose).
 */
export const SIGN_WITH = ['webhook_secret', 'api_key'] as const;
export type SignWith = (typeof SIGN_WITH)[number];

/**
 * Why nothing is sent to a webhook URL: it answered 410, or nothing but failures for days (README of
 * `notifications`).
 */
export const WEBHOOK_PAUSE_REASONS = ['gone', 'failing'] as const;
export type WebhookPauseReason = (typeof WEBHOOK_PAUSE_REASONS)[number];

/** The uses of a wallet's balances (contract 9.17). */
export const RECEIPT_CHECKS = ['off', 'flag', 'review'] as const;
export type ReceiptChecks = (typeof RECEIPT_CHECKS)[number];

export const SECRET_KINDS = ['api_key', 'webhook_secret', 'signing_secret'] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];
