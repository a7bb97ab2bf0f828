import type { WalletProvider } from './wallet.js';
import { WALLETS } from './wallet-registry.js';

/** The looks of a wallet that is not known here. */
const UNKNOWN = { colour: '#51605a', ink: '#ffffff' };

/**
 * The colours of wallets for a page's stylesheet: `--wallet` and `--wallet-ink` below any element with `data-wallet`.
 */
export function walletStylesheet(wallets: readonly WalletProvider[] = WALLETS.list()): string {
  const rule = (selector: string, { colour, ink }: Pick<WalletProvider, 'colour' | 'ink'>) =>
    `${selector} {\n  --wallet: ${colour};\n  --wallet-ink: ${ink};\n}\n`;
  const own = wallets.map((wallet) => rule(`[data-wallet='${wallet.code}']`, wallet));
  return [rule('[data-wallet]', UNKNOWN), ...own].join('');
}
