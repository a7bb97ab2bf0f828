import type { OnApplicationShutdown } from '@nestjs/common';
import type { Transporter } from 'nodemailer';
import type { Configuration } from '../../platform/config/index.js';
import type { MailText } from './mail-texts.js';
import { type SmtpSettings, smtpSettingsOf } from './smtp-settings.js';

/** Every step of an exchange is bounded, in milliseconds: a server that hangs is tried again like one that is down. */
const TIMEOUTS = {
  connectionTimeout: 5_000,
  greetingTimeout: 5_000,
  socketTimeout: 10_000,
  dnsTimeout: 5_000,
};

/**
 * The server of an `SMTP_URL`. A password is sent over TLS only (contract 14.58): with `smtp://`, mail with a password
 * is sent only if the server offers STARTTLS. Without a password, TLS is used if the server offers it.
 */
function transportOf(address: string) {
  const url = new URL(address);
  const isSecure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  const pass = decodeURIComponent(url.password);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
    secure: isSecure,
    requireTLS: pass !== '',
    ...(user === '' && pass === '' ? {} : { auth: { user, pass } }),
  };
}

/** Hands mails to the SMTP server of `SMTP_URL`. */
export class Mailer implements OnApplicationShutdown {
  private constructor(
    private readonly settings: SmtpSettings,
    private readonly transport: Transporter,
  ) {}

  /** Brings the library with it, which an installation that sends no mail never reads. */
  static async load(this: void, configuration: Configuration): Promise<Mailer> {
    const { createTransport } = await import('nodemailer');
    const settings = smtpSettingsOf(configuration.environment);
    return new Mailer(settings, createTransport({ ...transportOf(settings.url), ...TIMEOUTS }));
  }

  /**
   * Resolves when the server has taken it. `id` names the mail for good, so that a second one after a crash is known
   * as the same. @throws Error when it has not
   */
  async send(to: string, id: string, { subject, text }: MailText): Promise<void> {
    const domain = this.settings.from.replace(/>$/, '').split('@').at(-1) ?? 'localhost';
    await this.transport.sendMail({
      from: this.settings.from,
      to,
      subject,
      text,
      messageId: `<${id}@${domain}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  onApplicationShutdown(): void {
    this.transport.close();
  }
}
