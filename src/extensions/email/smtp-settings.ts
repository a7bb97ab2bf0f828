import type { Environment } from '../../platform/config/index.js';

export interface SmtpSettings {
  /** `SMTP_URL`: `smtp://user:password@host:587`, or `smtps://`. */
  readonly url: string;
  /** `EMAIL_FROM`; default: `joma@` and the host of the SMTP server. */
  readonly from: string;
}

/** The problems hold no value: a password may stand in it. */
export function smtpProblems(environment: Environment): readonly string[] {
  const { url, from } = valuesOf(environment);
  const problems: string[] = [];
  if (url === null) {
    problems.push(
      'SMTP_URL must be set while the extension "email" is switched on, such as smtp://mail.example.com:587.',
    );
  } else if (!/^smtps?:\/\//.test(url) || !URL.canParse(url) || new URL(url).hostname === '') {
    problems.push('SMTP_URL must be an address such as smtp://user:password@mail.example.com:587.');
  } else if (new URL(url).search !== '' || /%(?![0-9a-f]{2})/i.test(url)) {
    problems.push('SMTP_URL must have no query, and % in a password must be written as %25.');
  }
  if (from !== null && !/^[^\r\n]{0,200}[^\s@<>]+@[^\s@<>]+>?$/.test(from)) {
    problems.push('EMAIL_FROM must be an e-mail address, such as Joma <pay@example.com>.');
  }
  return problems;
}

/** @throws Error when `smtpProblems` has any */
export function smtpSettingsOf(environment: Environment): SmtpSettings {
  const { url, from } = valuesOf(environment);
  if (url === null) throw new Error('SMTP_URL is not set.');
  return { url, from: from ?? `joma@${new URL(url).hostname}` };
}

/** An empty variable counts as unset. */
function valuesOf(environment: Environment): { readonly url: string | null; readonly from: string | null } {
  return {
    url: environment['SMTP_URL']?.trim() || null,
    from: environment['EMAIL_FROM']?.trim() || null,
  };
}
