import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { ConfigurationError } from '../config/index.js';
import type { BrandSettings } from './brand.settings.js';
import { Asset, assetPath, type Assets } from './assets.js';
import { type Brand, brandStylesheet, brandStylesheetPath } from './brand.js';

/** It comes before the first look at the page on a slow connection. */
const MAX_LOGO_BYTES = 20 * 1024;

const LOGO_TYPES: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
};

/** An operator's brand, with the assets it needs, by the names they are served under. */
export interface LoadedBrand {
  readonly brand: Brand;
  readonly assets: Assets;
}

/**
 * Reads what `CHECKOUT_BRAND_*` names, once, at the start.
 *
 * @param base where the page that shows it has its assets, such as `/pay/assets`
 * @throws ConfigurationError when the logo is not there, too large or no picture
 */
export function loadBrand(settings: BrandSettings, base: string): LoadedBrand {
  const assets = new Map<string, Asset>();
  const stylesheet = settings.brandColour === null ? null : brandStylesheet(settings.brandColour);
  const stylesheetPath = brandStylesheetPath(base, settings.brandColour);
  if (stylesheet !== null && stylesheetPath !== null) {
    const asset = new Asset('text/css; charset=utf-8', Buffer.from(stylesheet));
    assets.set(stylesheetPath.slice(stylesheetPath.lastIndexOf('/') + 1), asset);
  }
  const logo = settings.brandLogoFile === null ? null : readLogo(settings.brandLogoFile);
  if (logo !== null) assets.set('brand-logo', logo);
  const logoUrl = logo === null ? null : assetPath(base, 'brand-logo', assets);
  return { brand: { name: settings.brandName, colour: settings.brandColour, logoUrl }, assets };
}

function readLogo(file: string): Asset {
  const contentType = LOGO_TYPES[extname(file).toLowerCase()];
  if (contentType === undefined) throw wrongLogo(`must be a .svg, .png, .webp or .jpg file, but is ${file}.`);
  let picture: Buffer;
  try {
    picture = readFileSync(file);
  } catch (error) {
    throw wrongLogo(`cannot be read: ${(error as Error).message}.`);
  }
  if (picture.length > MAX_LOGO_BYTES)
    throw wrongLogo(`must be at most ${MAX_LOGO_BYTES} bytes, but has ${picture.length}.`);
  return new Asset(contentType, picture);
}

function wrongLogo(detail: string): ConfigurationError {
  return new ConfigurationError([`CHECKOUT_BRAND_LOGO ${detail}`]);
}
