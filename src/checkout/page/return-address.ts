import { webAddress } from '../../platform/web/html.js';

const PARAMETER = 'paymentId';

/**
 * Where the payer is taken after paying: the merchant's `redirectUrl` with `paymentId=<id>` in its query, so that the
 * shop's page knows which payment this is about; in the place of one that stands there already, else at the end. It
 * is no proof of payment: the shop asks the API, or waits for the signed event. Null when there is no absolute
 * http(s) address.
 */
export function returnAddress(redirectUrl: string | null | undefined, paymentId: string): string | null {
  const address = webAddress(redirectUrl);
  if (address === null) return null;
  const url = new URL(address);
  const own = `${PARAMETER}=${encodeURIComponent(paymentId)}`;
  // Not `searchParams`, which would write the merchant's own query anew.
  const parts = url.search === '' ? [] : url.search.slice(1).split('&');
  const at = parts.findIndex(isParameter);
  const others = parts.filter((part) => !isParameter(part));
  others.splice(at < 0 ? others.length : at, 0, own);
  url.search = others.join('&');
  return url.href;
}

/** However the merchant wrote it: a shop's page reads `payment%49d` as the same name. */
function isParameter(part: string): boolean {
  return new URLSearchParams(`&${part}`).has(PARAMETER);
}
