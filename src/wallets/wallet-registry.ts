import { BKASH } from './bkash.js';
import { CELLFIN } from './cellfin.js';
import { MCASH } from './mcash.js';
import { NAGAD } from './nagad.js';
import { OK_WALLET } from './ok-wallet.js';
import { PATHAO_PAY } from './pathao-pay.js';
import { QR } from './qr.js';
import { ROCKET } from './rocket.js';
import { TALLYPAY } from './tallypay.js';
import { TAP } from './tap.js';
import { UPAY } from './upay.js';
import { PROVIDER_PATTERN, type WalletProvider } from './wallet.js';

/** The wallets the service comes with. To add one: a file beside these, and a line here. */
const OWN_WALLETS: readonly WalletProvider[] = [
  ...[BKASH, NAGAD, ROCKET, UPAY, QR],
  ...[TAP, CELLFIN, MCASH, OK_WALLET, PATHAO_PAY, TALLYPAY],
];

/** The wallets of this process. Filled before the first request is answered, and never changed afterwards. */
export class WalletRegistry {
  private readonly byCode = new Map<string, WalletProvider>();

  constructor(wallets: readonly WalletProvider[] = OWN_WALLETS) {
    for (const wallet of wallets) this.add(wallet);
  }

  /**
   * Adds the wallet of an extension, at start. The same object may come again: several applications of one process
   * share the registry.
   *
   * @throws Error naming the code when it is malformed, or another wallet's
   */
  add(wallet: WalletProvider): void {
    const known = this.byCode.get(wallet.code);
    if (known === wallet) return;
    if (known !== undefined) throw new Error(`Two wallets have the code "${wallet.code}".`);
    if (!PROVIDER_PATTERN.test(wallet.code)) {
      throw new Error(`"${wallet.code}" is no code of a wallet: 2 to 20 lower-case letters, digits or _.`);
    }
    this.byCode.set(wallet.code, wallet);
  }

  /** The wallet of a provider code, or null. Codes may be written with underscores (`ok_wallet`). */
  find(provider: string): WalletProvider | null {
    return this.byCode.get(provider) ?? this.byCode.get(provider.toLowerCase().replaceAll('_', '')) ?? null;
  }

  /** All of them, the service's own first. */
  list(): readonly WalletProvider[] {
    return [...this.byCode.values()];
  }
}

/** The one registry of this process. */
export const WALLETS = new WalletRegistry();

/** The wallet of a provider code, or null where it is not known. */
export function findWallet(provider: string): WalletProvider | null {
  return WALLETS.find(provider);
}

/** Whether the ids of a wallet can be guessed (contract 4.77); false for none, and for one that is not known. */
export function isGuessable(provider: string | null): boolean {
  return provider !== null && findWallet(provider)?.guessable === true;
}
