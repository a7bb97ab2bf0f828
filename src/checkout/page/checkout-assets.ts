import { walletStylesheet } from '../../wallets/index.js';
import {
  assetPath,
  type Assets,
  loadAssets,
  PAYER_STYLESHEET,
  WEB_ICON,
  WEB_STYLESHEET,
} from '../../platform/web/assets.js';
import type { Language } from '../../platform/web/language.js';
import type { PayerFiles } from '../../platform/web/payer/payer-page.js';
import { scriptWords } from './script-words.js';

/** Where the files of the checkout page are served. */
export const ASSETS_BASE = '/pay/assets';

export interface CheckoutFiles extends PayerFiles {
  /** One for each language: it holds the words that it says. */
  readonly script: Readonly<Record<Language, string>>;
}

/** In this order: each file is a function that those behind it are given, and the last one puts them together. */
const SCRIPT = ['page', 'requests', 'content', 'news', 'entry', 'time', 'controls', 'start'];

export function loadCheckoutAssets(): Assets {
  const own = (name: string) => new URL(`./assets/${name}`, import.meta.url);
  const script = SCRIPT.map((name) => own(`script/${name}.js`));
  return loadAssets({
    'checkout.css': [WEB_STYLESHEET, PAYER_STYLESHEET, walletStylesheet(), own('checkout.css')],
    'checkout.bn.js': [scriptWords('bn'), ...script],
    'checkout.en.js': [scriptWords('en'), ...script],
    'icon.svg': [WEB_ICON],
  });
}

export function checkoutFiles(assets: Assets): CheckoutFiles {
  const path = (name: string) => assetPath(ASSETS_BASE, name, assets);
  const script = { bn: path('checkout.bn.js'), en: path('checkout.en.js') };
  return { base: ASSETS_BASE, stylesheet: path('checkout.css'), script, icon: path('icon.svg') };
}

export const DEFAULT_FILES: CheckoutFiles = {
  base: ASSETS_BASE,
  stylesheet: `${ASSETS_BASE}/checkout.css`,
  script: { bn: `${ASSETS_BASE}/checkout.bn.js`, en: `${ASSETS_BASE}/checkout.en.js` },
  icon: `${ASSETS_BASE}/icon.svg`,
};
