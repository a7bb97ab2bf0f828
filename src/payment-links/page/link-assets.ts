import {
  assetPath,
  type Assets,
  loadAssets,
  PAYER_STYLESHEET,
  WEB_ICON,
  WEB_STYLESHEET,
} from '../../platform/web/assets.js';
import type { PayerFiles } from '../../platform/web/payer/payer-page.js';

/** Where the files of a link's pages are served. */
export const LINK_ASSETS_BASE = '/l/assets';

export interface LinkFiles extends PayerFiles {
  readonly poster: string;
}

export function loadLinkAssets(): Assets {
  const own = (name: string) => new URL(`./assets/${name}`, import.meta.url);
  return loadAssets({
    'link.css': [WEB_STYLESHEET, PAYER_STYLESHEET, own('link.css')],
    'poster.css': [own('poster.css')],
    'icon.svg': [WEB_ICON],
  });
}

export function linkFiles(assets: Assets): LinkFiles {
  const path = (name: string) => assetPath(LINK_ASSETS_BASE, name, assets);
  return {
    base: LINK_ASSETS_BASE,
    stylesheet: path('link.css'),
    poster: path('poster.css'),
    icon: path('icon.svg'),
  };
}
