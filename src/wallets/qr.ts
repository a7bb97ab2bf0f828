import { USUAL_ACTIONS, type WalletProvider, WHITE } from './wallet.js';

/**
 * Bangla QR: no wallet but a method, which any wallet or bank app pays with. Matched by four digits of the payer and
 * the amount (specification §3); its receipts come under the sender id of the wallet that holds the merchant's
 * account.
 */
export const QR: WalletProvider = {
  code: 'qr',
  names: { en: 'Bangla QR', bn: 'বাংলা কিউআর' },
  ussd: null,
  helpline: null,
  colour: '#0d7f36',
  ink: WHITE,
  badge: 'QR',
  entry: 'last4digit',
  trxId: null,
  guessable: true,
  currency: 'BDT',
  actions: USUAL_ACTIONS,
  messages: null,
};

/** The provider code of Bangla QR (specification §2.3). */
export const QR_PROVIDER = QR.code;
