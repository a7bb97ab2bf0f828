import { AccountsService, AccountsSettings } from '../../accounts/index.js';
import { checkoutUrlOf, PaymentsService } from '../../payments/index.js';
import type { Service } from '../service.js';
import { StoreSecrets, StoresService, type Wallet } from '../../stores/index.js';
import { QR_PROVIDER } from '../../wallets/index.js';
import { ServiceSettings } from '../../platform/config/index.js';

/** The data with which a visitor tries everything out. */
export interface Demo {
  readonly storeId: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly paymentId: string;
  readonly checkoutUrl: string;
  readonly amount: number;
}

const DEMO_STORE_NAME = 'Demo store';
const DEMO_AMOUNT_MINOR = 50_000;
const MINOR_UNITS_PER_UNIT = 100;

/** A whole Bangla QR payload of an invented shop, with its right checksum. */
const DEMO_QR_PAYLOAD =
  '0002010102112633010203020410080315JOMADEMO00000015204000053030505802BD5912EXAMPLE SHOP6005DHAKA6304477E';

/** Numbers that nobody takes for an example: a wallet stands in one live store of an owner only (contract 4.45). */
const DEMO_WALLETS: readonly Wallet[] = [
  { provider: 'bkash', number: '01799999981', accountType: 'personal', qrPayload: null, enabled: true },
  { provider: 'nagad', number: '01799999981', accountType: 'merchant', qrPayload: null, enabled: true },
  { provider: 'rocket', number: '017999999819', accountType: 'personal', qrPayload: null, enabled: true },
  { provider: 'upay', number: '01799999981', accountType: 'personal', qrPayload: null, enabled: true },
  { provider: QR_PROVIDER, number: null, accountType: 'merchant', qrPayload: DEMO_QR_PAYLOAD, enabled: true },
];

/** Finds or makes the demo store of the admin, and a payment that waits for its payer. */
export async function prepareDemo(service: Service): Promise<Demo | null> {
  const { app, configuration } = service;
  const stores = app.get(StoresService);
  const user = await app.get(AccountsService).findUserByEmail(configuration.of(AccountsSettings).adminEmail);
  if (user === null) return null;
  const caller = { user, address: '127.0.0.1' };
  const known = await stores.findByName(user, DEMO_STORE_NAME);
  const store =
    known ?? (await stores.create(caller, { name: DEMO_STORE_NAME, wallets: DEMO_WALLETS })).store;
  const payment = await app.get(PaymentsService).create(store, {
    amountMinor: DEMO_AMOUNT_MINOR,
    customerName: 'Rahim Uddin',
    note: 'Order 1001',
    products: null,
    metadata: null,
  });
  return {
    ...(await app.get(StoreSecrets).recover(store.id)),
    storeId: store.id,
    paymentId: payment.id,
    checkoutUrl: checkoutUrlOf(payment.id, configuration.of(ServiceSettings).publicUrl),
    amount: DEMO_AMOUNT_MINOR / MINOR_UNITS_PER_UNIT,
  };
}
