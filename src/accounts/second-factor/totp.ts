import { Secret, TOTP } from 'otpauth';

/** RFC 6238 as every authenticator app knows it: SHA-1, six digits, steps of 30 s. */
const FORM = { algorithm: 'SHA1', digits: 6, period: 30 };

/** Steps before and after now whose codes are taken, because clocks differ and users type slowly. */
const TOLERATED_STEPS = 1;

/** A new secret in base32, 160 bits as RFC 4226 §4 asks for. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** The `otpauth:` address that an authenticator app reads from a QR code. */
export function totpUri(secret: string, account: string): string {
  const label = encodeURIComponent(`Joma:${account}`);
  const { algorithm, digits, period } = FORM;
  const form = `algorithm=${algorithm}&digits=${digits}&period=${period}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=Joma&${form}`;
}

/** The time step that a code belongs to, now or one step off; null for none. */
export function stepOfCode(secret: string, code: string, now: Date): number | null {
  // otpauth throws for six characters that are more than six bytes.
  if (!/^[0-9]{6}$/.test(code)) return null;
  const totp = new TOTP({ ...FORM, secret });
  const timestamp = now.getTime();
  const steps = totp.validate({ token: code, timestamp, window: TOLERATED_STEPS });
  return steps === null ? null : totp.counter({ timestamp }) + steps;
}

/** The code at an instant. */
export function totpCode(secret: string, now: Date): string {
  return new TOTP({ ...FORM, secret }).generate({ timestamp: now.getTime() });
}
