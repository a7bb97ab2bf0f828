import { defineWallet } from './wallet.js';

/**
 * Bangla QR: no wallet but a method, which any wallet or bank app pays with. Matched by four digits of the payer and
 * the amount (specification §3); its receipts come under the sender id of the wallet that holds the merchant's
 * account.
 */
export const QR = defineWallet({
  code: 'qr',
  names: { en: 'Bangla QR', bn: 'বাংলা কিউআর' },
  colour: '#0d7f36',
  badge: 'QR',
  entry: 'last4digit',
  guessable: true,
  messages: null,
});

/** The provider code of Bangla QR (specification §2.3). */
export const QR_PROVIDER = QR.code;
