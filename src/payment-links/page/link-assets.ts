import {
  assetPath,
  type Assets,
  loadAssets,
  PAYER_STYLESHEET,
  WEB_ICON,
  WEB_STYLESHEET,
} from '../../platform/web/assets.js';

/** Where the files of a link's pages are served. */
export const LINK_ASSETS_BASE = '/l/assets';

export interface LinkAssetPaths {
  readonly stylesheet: string;
  readonly poster: string;
  readonly icon: string;
}

export function loadLinkAssets(): Assets {
  const own = (name: string) => new URL(`./assets/${name}`, import.meta.url);
  return loadAssets({
    'link.css': [WEB_STYLESHEET, PAYER_STYLESHEET, own('link.css')],
    'poster.css': [own('poster.css')],
    'icon.svg': [WEB_ICON],
  });
}

export function linkAssetPaths(assets: Assets): LinkAssetPaths {
  const path = (name: string) => assetPath(LINK_ASSETS_BASE, name, assets);
  return { stylesheet: path('link.css'), poster: path('poster.css'), icon: path('icon.svg') };
}
