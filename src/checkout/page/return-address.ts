import { webAddress } from './html.js';

/**
 * Where the payer is taken after paying: the merchant's `redirectUrl` with `paymentId=<id>` behind its own query, so that
 * the shop's page knows which payment this is about. It is no proof of payment: the shop asks the API, or waits for the
 * signed event. Null when there is no absolute http(s) address.
 */
export function returnAddress(redirectUrl: string | null | undefined, paymentId: string): string | null {
  const address = webAddress(redirectUrl);
  if (address === null) return null;
  const url = new URL(address);
  // Not `searchParams`, which would write the merchant's own query anew.
  url.search = `${url.search}${url.search === '' ? '?' : '&'}paymentId=${encodeURIComponent(paymentId)}`;
  return url.href;
}
