export type WebhookUrlVerdict =
  { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/**
 * Says whether a store may have its events sent to an address (contract 7.61). A port, because the rules belong to
 * whoever connects: the same function judges when the address is saved, tested and called.
 */
export abstract class WebhookUrlPolicy {
  abstract check(url: string): WebhookUrlVerdict;
}
