/*
 * What stands in a payment QR code (EMV QR Code Specification, Merchant-Presented Mode, which Bangla QR follows):
 * fields of a two-digit id, a two-digit length and a value, the last one a checksum over all that stands before it.
 */

/** The data of a QR code about who is paid. */
export interface PaymentQr {
  readonly merchantName: string | null;
  readonly merchantCity: string | null;
  /** ISO 3166; `BD`. */
  readonly country: string | null;
  /** ISO 4217 number; `050` is BDT. */
  readonly currency: string | null;
  /** A fixed amount, in major units as written; most printed codes have none. */
  readonly amount: string | null;
}

export type PaymentQrReading =
  | { readonly outcome: 'payment'; readonly qr: PaymentQr }
  /** A web address, a business card, or whatever else. */
  | { readonly outcome: 'other' }
  /** It looks like one, and its checksum says that something in it is wrong. */
  | { readonly outcome: 'wrong_checksum' };

const FIRST_FIELD = '000201';
const CHECKSUM_FIELD = '6304';

/** Reads the text of a code; never throws. */
export function readPaymentQr(text: string): PaymentQrReading {
  if (!text.startsWith(FIRST_FIELD)) return { outcome: 'other' };
  const fields = fieldsOf(text);
  const checksum = fields?.at(-1);
  if (fields === null || checksum?.id !== '63' || checksum.value.length !== 4) {
    // Without its last field, or cut short, it is a payment code that was damaged.
    return { outcome: 'wrong_checksum' };
  }
  const covered = text.slice(0, -4);
  if (!covered.endsWith(CHECKSUM_FIELD) || checksumOf(covered) !== checksum.value.toUpperCase())
    return { outcome: 'wrong_checksum' };
  const valueOf = (id: string) => fields.find((field) => field.id === id)?.value ?? null;
  return {
    outcome: 'payment',
    qr: {
      merchantName: valueOf('59'),
      merchantCity: valueOf('60'),
      country: valueOf('58'),
      currency: valueOf('53'),
      amount: valueOf('54'),
    },
  };
}

/** Null when lengths and text do not fit together. */
function fieldsOf(text: string): { id: string; value: string }[] | null {
  const fields: { id: string; value: string }[] = [];
  for (let at = 0; at < text.length;) {
    const head = /^(\d{2})(\d{2})$/.exec(text.slice(at, at + 4));
    const length = Number(head?.[2]);
    if (head === null || at + 4 + length > text.length) return null;
    fields.push({ id: head[1] ?? '', value: text.slice(at + 4, at + 4 + length) });
    at += 4 + length;
  }
  return fields;
}

/** CRC-16/CCITT-FALSE over the UTF-8 bytes, in four upper-case hexadecimal digits. */
export function checksumOf(text: string): string {
  let checksum = 0xffff;
  for (const byte of Buffer.from(text)) {
    checksum ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1)
      checksum = ((checksum & 0x8000) === 0 ? checksum << 1 : (checksum << 1) ^ 0x1021) & 0xffff;
  }
  return checksum.toString(16).toUpperCase().padStart(4, '0');
}
