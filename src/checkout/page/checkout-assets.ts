import { walletStylesheet } from '../../wallets/index.js';
import {
  assetPath,
  type Assets,
  loadAssets,
  PAYER_STYLESHEET,
  WEB_ICON,
  WEB_STYLESHEET,
} from '../../web/assets.js';

/** Where the files of the checkout page are served. */
export const ASSETS_BASE = '/pay/assets';

export interface CheckoutAssetPaths {
  readonly stylesheet: string;
  readonly script: string;
  readonly icon: string;
}

export function loadCheckoutAssets(): Assets {
  const own = (name: string) => new URL(`./assets/${name}`, import.meta.url);
  return loadAssets({
    'checkout.css': [WEB_STYLESHEET, PAYER_STYLESHEET, walletStylesheet(), own('checkout.css')],
    'checkout.js': [own('checkout.js')],
    'icon.svg': [WEB_ICON],
  });
}

export function checkoutAssetPaths(assets: Assets): CheckoutAssetPaths {
  const path = (name: string) => assetPath(ASSETS_BASE, name, assets);
  return { stylesheet: path('checkout.css'), script: path('checkout.js'), icon: path('icon.svg') };
}

export const DEFAULT_ASSET_PATHS: CheckoutAssetPaths = {
  stylesheet: `${ASSETS_BASE}/checkout.css`,
  script: `${ASSETS_BASE}/checkout.js`,
  icon: `${ASSETS_BASE}/icon.svg`,
};
