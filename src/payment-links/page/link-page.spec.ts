import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { linkFiles, loadLinkAssets } from './link-assets.js';
import { type LinkPageView, renderClosedLinkPage, renderLinkPage, shareText } from './link-page.js';
import { linkWordsOf } from './link-words.js';
import { renderPosterPage } from './poster-page.js';

const assets = loadLinkAssets();
const FILES = linkFiles(assets);
const VIEW: LinkPageView = {
  language: 'en',
  files: FILES,
  brand: {},
  slug: 'red-saree',
  storeName: 'Dhaka Books',
  title: 'Handloom saree',
  note: null,
  products: null,
  amountMinor: null,
  minAmountMinor: 10_000,
  maxAmountMinor: 500_000,
  currency: 'BDT',
  askName: true,
  askPhone: true,
  token: 'token-of-this-page',
  typed: null,
  problems: {},
};

const HOSTILE = `"><script>alert(1)</script>&'`;

describe('the page of a link', () => {
  it('has a labelled field for everything that is asked, and says in which bounds', () => {
    const page = renderLinkPage(VIEW);
    for (const field of ['amount', 'name', 'phone']) {
      expect(page).toContain(`<label for="${field}">`);
      expect(page).toMatch(new RegExp(`id="${field}"\\s+name="${field}"`));
    }
    expect(page).toContain('৳100.00 to ৳5,000.00');
    expect(page).toContain('name="form" value="token-of-this-page"');
    expect(page).not.toMatch(/<script|<style|style="|javascript:/);
    const fixed = renderLinkPage({ ...VIEW, amountMinor: 125_000, askName: false, askPhone: false });
    expect(fixed).toContain('৳1,250.00');
    expect(fixed).not.toContain('<label');
  });

  it('says beside each field what is wrong, and keeps what was typed', () => {
    const page = renderLinkPage({
      ...VIEW,
      typed: { amount: '5', name: HOSTILE, phone: '12' },
      problems: { amount: 'amount.range', phone: 'phone.unreadable' },
    });
    expect(page).toContain('role="alert"');
    expect(page).toMatch(/aria-describedby="amount-hint amount-error"\s+aria-invalid="true"/);
    expect(page).toContain('&quot;&gt;&lt;script&gt;');
  });

  it('stays markup of the same shape, whatever the merchant or the payer wrote', () => {
    const shape = (page: string) => page.match(/<[a-z!/][^\s>]*/g);
    const plain = { ...VIEW, note: 'x', products: [{ name: 'x', quantity: 1, price: 1 }] };
    const typed = { amount: 'x', name: 'x', phone: 'x' };
    const hostile = renderLinkPage({
      ...plain,
      slug: 'red-saree',
      storeName: HOSTILE,
      title: HOSTILE,
      note: HOSTILE,
      products: [{ name: HOSTILE, quantity: 1, price: 1 }],
      typed: { amount: HOSTILE, name: HOSTILE, phone: HOSTILE },
    });
    expect(shape(hostile)).toEqual(shape(renderLinkPage({ ...plain, typed })));
  });

  it('is small: with its stylesheet less than 60 KB, unpacked', () => {
    const page = renderLinkPage({ ...VIEW, language: 'bn' });
    const bytes = [...assets.values()].reduce((sum, { identity }) => sum + identity.length, 0);
    expect(Buffer.byteLength(page) + bytes).toBeLessThan(60 * 1024);
    expect(gzipSync(page).length).toBeLessThan(5 * 1024);
  });
});

describe('the words of a link', () => {
  it('are there in both languages, with the same slots', () => {
    const slots = (value: unknown): unknown =>
      typeof value === 'string'
        ? (value.match(/\{[a-z]+\}/g) ?? []).sort()
        : Object.fromEntries(Object.entries(value as object).map(([key, inner]) => [key, slots(inner)]));
    expect(slots(linkWordsOf('bn'))).toEqual(slots(linkWordsOf('en')));
  });

  it('say why a link takes nothing', () => {
    for (const reason of ['off', 'expired', 'used_up', 'shop_closed'] as const) {
      const page = renderClosedLinkPage({ ...VIEW, reason });
      expect(page).toContain(linkWordsOf('en').closedTitle[reason]);
      expect(page).not.toContain('<form');
    }
  });

  it('are what a shop writes beside the link', () => {
    const link = {
      title: 'Saree',
      amountMinor: 125_000,
      currency: 'BDT',
      url: 'https://x.example/l/a',
      shop: 'Shop',
    };
    expect(shareText(link, 'en')).toBe('Shop: Saree. Price BDT 1250. Pay here: https://x.example/l/a');
    expect(shareText(link, 'bn')).toContain('৳১,২৫০.০০');
    expect(shareText({ ...link, amountMinor: null }, 'en')).toBe(
      'Shop: Saree. Pay here: https://x.example/l/a',
    );
  });
});

describe('a poster', () => {
  it('holds the code, the shop and the address, on a sheet of either size', () => {
    for (const size of ['a4', 'a5'] as const) {
      const page = renderPosterPage({
        ...VIEW,
        files: FILES,
        size,
        shop: HOSTILE,
        amountMinor: 125_000,
        url: 'https://pay.example.com/l/red-saree',
      });
      expect(page).toContain(`poster-${size}`);
      expect(page).toContain('class="qr-code"');
      expect(page).toContain('pay.example.com/l/red-saree');
      expect(page).toContain('৳1,250.00');
      expect(page).not.toMatch(/<script|<style|style="/);
    }
  });
});
