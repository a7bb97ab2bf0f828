import { randomInt } from 'node:crypto';
import type { Service } from '../service.js';
import type { Demo } from './demo-store.js';
import { ServiceSettings } from '../../platform/config/index.js';
import { AccountsSettings } from '../../accounts/index.js';

const TRX_ID_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/**
 * The text that is printed when the service is ready (contract 8.3): one line in production, a page to try things
 * from otherwise.
 */
export function startPage(service: Service, demo: Demo | null): string {
  const { production, publicUrl: base, serviceName } = service.configuration.of(ServiceSettings);
  const lines = ['', `Joma is ready at ${base} (listening on ${service.address}).`];
  if (production) return lines.slice(1).join('\n');
  lines.push('', `  Dashboard    ${base}/dashboard`, ...signIn(service), '');
  if (demo !== null) lines.push(`  Checkout     ${demo.checkoutUrl}`);
  lines.push(`  API          ${base}/api/v1`, `  Swagger UI   ${base}/api/docs`);
  if (demo !== null) lines.push('', ...tryIt(base, serviceName, demo));
  lines.push('', 'Stop with Ctrl-C; everything is kept.', '');
  return lines.join('\n');
}

function signIn({ configuration, firstAdmin }: Service): string[] {
  if (firstAdmin?.generatedPassword != null) {
    return [
      `  Admin        ${firstAdmin.email}`,
      `  Password     ${firstAdmin.generatedPassword}   (shown only this once)`,
    ];
  }
  return [
    `  Admin        ${configuration.of(AccountsSettings).adminEmail} (password as set, or as shown at the first start)`,
  ];
}

function tryIt(base: string, serviceName: string, demo: Demo): string[] {
  const trxId = Array.from({ length: 10 }, () => TRX_ID_ALPHABET[randomInt(TRX_ID_ALPHABET.length)]).join('');
  const json = `-H 'Content-Type: application/json'`;
  const receipt = {
    app: 'curl',
    provider: 'bkash',
    kind: 'received',
    trxId,
    amount: demo.amount,
    counterparty: '01700000002',
    receivedAt: new Date().toISOString(),
  };
  return [
    'Demo store',
    `  Store id         ${demo.storeId}`,
    `  API key          ${demo.apiKey}`,
    `  Webhook secret   ${demo.webhookSecret}`,
    '',
    'Try it: a payer submits a TrxID, the phone forwards the receipt, the payment is verified.',
    '',
    `curl -sS ${base}/api/v1/payments -H 'X-Api-Key: ${demo.apiKey}' ${json} -d '{"amount":${demo.amount},"note":"Order 1002"}'`,
    `curl -sS ${base}/api/v1/payments/public/${demo.paymentId}/verify ${json} -d '{"trxId":"${trxId}"}'`,
    `curl -sS ${base}/api/webhooks/${serviceName} -H 'X-Webhook-Secret: ${demo.webhookSecret}' ${json} -d '${JSON.stringify(receipt)}'`,
    `curl -sS ${base}/api/v1/payments/${demo.paymentId} -H 'X-Api-Key: ${demo.apiKey}'`,
    `curl -sS '${base}/api/v1/deliveries?paymentId=${demo.paymentId}' -H 'X-Api-Key: ${demo.apiKey}'`,
    '',
    'Or a phone that forwards an SMS, as the app SMSGate does; enter the TrxID that it prints on the checkout page:',
    '',
    `npm run phone -- --app smsgate --store ${demo.storeId} --secret ${demo.webhookSecret} --url ${base}`,
  ];
}
