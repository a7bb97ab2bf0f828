import * as fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { loadCheckoutAssets } from './checkout-assets.js';
import { renderCheckoutPage, renderNotFoundPage, renderUnavailablePage } from './checkout-page.js';
import type { CheckoutPageView } from './checkout-view.js';
import { wordsOf } from './checkout-words.js';
import { PAYMENT_STATUSES, type PaymentStatus } from '../../payments/index.js';
import type { Language } from '../../platform/web/language.js';

/*
 * Rules: contract 5.26, 5.28, 5.29.
 */

const STATUSES = PAYMENT_STATUSES;
const LANGUAGES: Language[] = ['bn', 'en'];
const TRANSFER_LIMIT_BYTES = 60_000;
const QR_PAYLOAD =
  '0002010102112633010203020410080315MERCHANT00000015204000053030505802BD5912EXAMPLE SHOP6005DHAKA630420E0';

function viewWith(changes: Partial<CheckoutPageView> = {}): CheckoutPageView {
  return {
    id: '0193b3a0-7c00-7000-8000-000000000001',
    status: 'pending',
    amountMinor: 50_000,
    payAmountMinor: 50_000,
    currency: 'BDT',
    storeName: 'Example Shop',
    note: 'Order 1042',
    products: [{ name: 'Saree', quantity: 2, price: 210.5 }],
    wallets: [
      { provider: 'bkash', name: 'bKash', number: '01711111111', accountType: 'personal' },
      { provider: 'nagad', name: 'Nagad', number: '01811111111', accountType: 'merchant' },
      { provider: 'rocket', name: 'Rocket', number: '019111111112', accountType: 'agent' },
      { provider: 'qr', name: 'Bangla QR', accountType: 'merchant', qrPayload: QR_PAYLOAD },
    ],
    submitted: null,
    expiresAt: new Date('2026-11-21T09:00:00Z'),
    serverTime: new Date('2026-11-21T08:20:00Z'),
    redirectUrl: 'https://shop.example/thanks',
    cancelUrl: 'https://shop.example/cart',
    verifiedAt: new Date('2026-11-21T08:19:00Z'),
    language: 'bn',
    timeZone: 'Asia/Dhaka',
    ...changes,
  };
}

/** The page with runs of whitespace as one blank, so that the layout of the source does not matter. */
function compact(page: string): string {
  return page.replace(/\s+/g, ' ');
}

/** Text a user sees; markup taken away, the few entities turned back. */
function textOf(page: string): string {
  return page
    .slice(page.indexOf('<body'))
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
}

/** Names of all tags and of their attributes, in order; a value that breaks out of its place changes it. */
function skeletonOf(page: string): string[] {
  return [...page.matchAll(/<(\/?[a-z!][^\s>]*)([^>]*)>/gi)].map(([, name = '', attributes = '']) => {
    const names = attributes.replace(/"[^"]*"/g, '').match(/[^\s=/]+/g) ?? [];
    return [name, ...names].join(' ');
  });
}

describe('renderCheckoutPage', () => {
  it.each(STATUSES.flatMap((status) => LANGUAGES.map((language) => [status, language] as const)))(
    '%s in %s: one heading, the language, a title, the shop',
    (status, language) => {
      const page = renderCheckoutPage(
        viewWith({ status, language, submitted: { provider: 'bkash', trxId: 'DKL4M7X2QP' } }),
      );
      expect(page.startsWith('<!doctype html>')).toBe(true);
      expect(page).toContain(`<html lang="${language}">`);
      expect(page.match(/<h1/g)).toHaveLength(1);
      expect(page).toContain(`<title>${wordsOf(language).titles[status]} · Example Shop</title>`);
      expect(textOf(page)).toContain('Example Shop');
      expect(page).not.toMatch(/undefined|\[object|NaN|\{[a-z]+\}/i);
    },
  );

  it('prints no inline script, style or event handler, and loads from this server only', () => {
    for (const status of STATUSES) {
      const page = renderCheckoutPage(
        viewWith({ status, brand: { name: 'Acme', colour: '#0d56a3', logoUrl: '/logo.svg' } }),
      );
      expect(page).not.toMatch(/ style=| on[a-z]+=|<style/);
      expect(page.match(/<script[^>]*>[^<]*/g)).toEqual(['<script src="/pay/assets/checkout.bn.js" defer>']);
      const loaded = [...page.matchAll(/<(?:link|script|img)[^>]*(?:href|src)="([^"]*)"/g)].map(
        ([, address]) => address,
      );
      expect(loaded.every((address) => /^\/[^/]/.test(address ?? ''))).toBe(true);
    }
  });

  it('writes amounts and times in Bangla digits, numbers to dial and TrxIDs never', () => {
    const text = textOf(renderCheckoutPage(viewWith()));
    expect(text).toContain('৳৫০০.০০');
    expect(text).toContain('২ × ৳২১০.৫০');
    expect(text).toContain('01711111111');
    expect(text).toContain('*247#');
    expect(textOf(renderCheckoutPage(viewWith({ language: 'en' })))).toContain('৳500.00');
  });

  it('names the action of each account type', () => {
    const text = textOf(renderCheckoutPage(viewWith({ language: 'en' })));
    expect(text).toContain('bKash · Send Money');
    expect(text).toContain('Nagad · Make Payment');
    expect(text).toContain('Rocket · Cash Out');
  });

  it('has a plain form for each wallet, with the fields of the interface', () => {
    const page = compact(renderCheckoutPage(viewWith()));
    expect(
      page.match(
        /<form class="entry" method="post" action="\/pay\/0193b3a0-7c00-7000-8000-000000000001\?lang=bn"/g,
      ),
    ).toHaveLength(4);
    expect(page.match(/name="trxId"/g)).toHaveLength(3);
    expect(page.match(/name="last4digit"/g)).toHaveLength(1);
    expect(
      page.match(/<input type="hidden" name="provider" value="(?:bkash|nagad|rocket|qr)"/g),
    ).toHaveLength(4);
  });

  it('gives every field its own label, and no id twice', () => {
    const page = renderCheckoutPage(viewWith());
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, id] of page.matchAll(/<input[^>]*type="(?:text|radio)"[^>]* id="([^"]*)"/g)) {
      expect(page).toContain(`for="${id ?? ''}"`);
    }
  });

  it('explains a refused submission at the wallet it was for, and shows again what was typed', () => {
    const typed = { provider: 'nagad', trxId: '75XK3M9A' };
    const page = renderCheckoutPage(viewWith({ notice: 'payment.trx_id_used', typed }));
    expect(compact(page)).toContain('id="wallet-1" value="1" checked');
    expect(page.match(/aria-invalid="true"/g)).toHaveLength(1);
    expect(page).toContain('value="75XK3M9A"');
    expect(textOf(page)).toContain(wordsOf('bn').notices['payment.trx_id_used']);
    expect(textOf(renderCheckoutPage(viewWith({ notice: 'toString', typed })))).toContain(
      wordsOf('bn').notices.other,
    );
  });

  it('offers neither number nor code once the time is over, and still takes "I have already paid"', () => {
    const page = renderCheckoutPage(viewWith({ status: 'expired', language: 'en' }));
    expect(page).not.toContain('01711111111');
    expect(page).not.toContain('data-qr=');
    expect(textOf(page)).toContain('I have already paid');
    expect(page).toContain('name="trxId"');
  });

  it.each(LANGUAGES)(
    'says in %s that no try is left, in the place of a form that would be refused',
    (language) => {
      const words = wordsOf(language);
      const submitted = { provider: 'qr', last4digit: '0427' };
      const all = viewWith({ status: 'submitted', language, submitted, usedUp: ['trxId', 'last4digit'] });
      const page = renderCheckoutPage(all);
      expect(page).toContain(`<title>${words.limitedTitle} · Example Shop</title>`);
      expect(page).toContain('data-limited="last4digit"');
      expect(textOf(page)).toContain(words.limitedHeading);
      expect(textOf(page)).toContain('0427');
      expect(page).not.toContain('<form');

      const one = renderCheckoutPage({ ...all, usedUp: ['last4digit'] });
      expect(one.match(/<form/g)).toHaveLength(3);
      expect(textOf(one)).toContain(`${words.limitedWhy.last4digit} ${words.limitedNext}`);
      const other = renderCheckoutPage({ ...all, usedUp: ['trxId'] });
      expect(textOf(other)).toContain(words.submittedHeading);
      expect(other.match(/<form/g)).toHaveLength(1);
      expect(other).toContain('data-limited=""');
      const pending = renderCheckoutPage({ ...all, status: 'pending', submitted: null, wallets: [] });
      expect(textOf(pending)).toContain(words.limitedLeadUnpaid);
      for (const status of ['verified', 'review', 'cancelled'] as const) {
        expect(renderCheckoutPage({ ...all, status })).toContain('data-limited=""');
        expect(renderCheckoutPage({ ...all, status })).not.toContain('<form');
      }
    },
  );

  it.each(LANGUAGES)('offers in %s what is still kept when there were too many tries', (language) => {
    const words = wordsOf(language);
    const submitted = { provider: 'qr', last4digit: '0427' };
    const view = viewWith({ status: 'submitted', language, submitted, byHand: ['last4digit'] });
    const page = renderCheckoutPage(view);
    expect(page).toContain(`<title>${words.byHandTitle} · Example Shop</title>`);
    expect(page).toContain('data-limited="last4digit-by-hand"');
    expect(textOf(page)).toContain(words.byHandHeading);
    expect(page.match(/<form/g)).toHaveLength(4);
    expect(page.match(new RegExp(words.byHandWhy.last4digit, 'g'))).toHaveLength(2);
    const refused = renderCheckoutPage({ ...view, notice: 'payment.too_many_attempts', typed: submitted });
    expect(refused).toContain('data-again open');
    expect(textOf(refused)).toContain(words.notices['payment.too_many_attempts']);
    expect(textOf(renderCheckoutPage({ ...view, status: 'expired' }))).toContain(words.byHandWhy.last4digit);
  });

  it.each(LANGUAGES)('takes in %s further entries while the shop looks at it', (language) => {
    const words = wordsOf(language);
    const view = viewWith({ status: 'review', language, reviewReason: 'ambiguous' });
    const page = renderCheckoutPage(view);
    expect(textOf(page)).toContain(`${words.further.title} ${words.further.lead}`);
    expect(page.match(/<form/g)).toHaveLength(4);
    expect(page).not.toMatch(/data-qr=|01711111111/);
    expect(textOf(renderCheckoutPage({ ...view, reviewReason: 'underpaid' }))).toContain(
      `${words.furtherRest.title} ${words.furtherRest.lead}`,
    );
  });

  it.each([
    ['bn', '৳৫০০.৩৭', '৳০.৩৭'],
    ['en', '৳500.37', '৳0.37'],
  ] as const)(
    'asks in %s for the amount of one’s own everywhere, and says why it is odd',
    (language, pay, more) => {
      const view = viewWith({ language, payAmountMinor: 50_037 });
      const page = renderCheckoutPage(view);
      const text = textOf(page);
      expect(text).toContain(more);
      // The price stands in the sentence alone.
      expect(text.split(language === 'bn' ? '৳৫০০.০০' : '৳500.00')).toHaveLength(2);
      expect(page.match(/data-copy="500\.37"/g)).toHaveLength(5);
      expect(page).not.toContain('data-copy="500"');
      expect(page).toMatch(/<strong class="amount[^"]*">৳/);
      expect(page).toMatch(/data-without-script translate="no"\s*>500\.37</);
      expect(renderCheckoutPage(viewWith({ language }))).not.toMatch(/odd-amount|plain-amount/);
      const late = renderCheckoutPage({ ...view, status: 'review', reviewReason: 'underpaid' });
      expect(textOf(late)).toContain(wordsOf(language).reviewReasons.underpaid.replace('{amount}', pay));
    },
  );

  it('names the wallet of the receipt on it, and before that only what the payer named', () => {
    const submitted = { trxId: 'DKL4M7X2QP' };
    const facts = (status: PaymentStatus) =>
      /<dl class="facts">[^]*?<\/dl>/.exec(
        renderCheckoutPage(viewWith({ status, language: 'en', submitted, provider: 'nagad' })).replace(
          /^[^]*(?=<section class="card receipt")/,
          '',
        ),
      )?.[0];
    expect(facts('verified')).toContain('Nagad');
    expect(facts('review')).not.toContain('Nagad');
  });

  it('has no form where there is nothing to submit', () => {
    for (const status of ['verified', 'cancelled'] as const) {
      const page = renderCheckoutPage(viewWith({ status, notice: 'payment.cancelled' }));
      expect(page).not.toContain('<form');
      expect(page).toContain('role="alert"');
    }
  });

  it('turns no address but http(s) into a link', () => {
    const page = renderCheckoutPage(
      viewWith({ status: 'verified', redirectUrl: 'javascript:alert(1)', cancelUrl: 'data:text/html,x' }),
    );
    expect(page).not.toContain('javascript:');
    expect(page).not.toContain('data:text');
  });

  it('survives products of any shape', () => {
    fc.assert(
      fc.property(fc.anything(), fc.array(fc.anything()), (products, list) => {
        expect(renderCheckoutPage(viewWith({ products }))).toContain('</html>');
        expect(renderCheckoutPage(viewWith({ products: list, status: 'verified' }))).toContain('</html>');
      }),
    );
  });

  it.each(['constructor', 'refunding', ''])(
    'shows neither form, number nor code for the state "%s", which it does not know',
    (unknown) => {
      const status = unknown as PaymentStatus;
      const page = renderCheckoutPage(viewWith({ status, language: 'en', notice: 'payment.expired' }));
      expect(page).not.toMatch(/<form|<input|data-qr=|01711111111/);
      expect(textOf(page)).toContain('Do not send money now.');
      expect(page).toContain('data-id="0193b3a0-7c00-7000-8000-000000000001"');
    },
  );

  it('survives unknown reasons and wallets, and none at all', () => {
    const review = renderCheckoutPage(viewWith({ status: 'review', reviewReason: 'toString' }));
    expect(textOf(review)).toContain(wordsOf('bn').reviewReasons.other);
    expect(textOf(renderCheckoutPage(viewWith({ wallets: [] })))).toContain(wordsOf('bn').noWallets);
    const own = viewWith({
      wallets: [{ provider: 'own_wallet', name: 'Own', number: '123', accountType: null }],
    });
    expect(textOf(renderCheckoutPage(own))).toContain('Own');
  });

  it('stays markup of the same shape, whatever the merchant, the wallet or the payer wrote', () => {
    const written = fc.string({
      unit: fc.oneof(
        fc.constantFrom('<', '>', '"', "'", '&', '=', '/', '`', ' ', '\n', 'on', 'x'),
        fc.string({ unit: 'binary', maxLength: 1 }),
      ),
      maxLength: 30,
    });
    fc.assert(
      fc.property(
        fc.array(written, { minLength: 8, maxLength: 8 }),
        fc.constantFrom(...STATUSES),
        (texts, status) => {
          expect(skeletonOf(renderCheckoutPage(hostileView(texts, status)))).toEqual(
            skeletonOf(renderCheckoutPage(hostileView(Array<string>(8).fill('x'), status))),
          );
        },
      ),
    );
  });

  it('stays within the transfer limit', () => {
    const assets = [...loadCheckoutAssets().values()].reduce(
      (sum, asset) => sum + gzipSync(asset.identity).length,
      0,
    );
    for (const language of LANGUAGES) {
      expect(assets + gzipSync(renderCheckoutPage(viewWith({ language }))).length).toBeLessThan(
        TRANSFER_LIMIT_BYTES,
      );
    }
  });
});

/** Every text a stranger can write, in the same places; each starts with a letter so that none counts as absent. */
function hostileView(texts: readonly string[], status: PaymentStatus): CheckoutPageView {
  const [name, note, product, walletName, number, typed, query, code] = texts.map((text) => `x${text}`);
  return viewWith({
    status,
    storeName: name ?? '',
    note,
    currency: code ?? '',
    products: [{ name: product, quantity: 1, price: 2 }],
    wallets: [
      { provider: 'bkash', name: walletName, number, accountType: 'personal', qrPayload: 'payload' },
      { provider: code ?? '', name: walletName, number, accountType: 'agent' },
    ],
    submitted: { provider: walletName, trxId: typed },
    typed: { provider: 'bkash', trxId: typed },
    notice: 'request.invalid',
    reviewReason: code,
    redirectUrl: `https://shop.example/?q=${query ?? ''}`,
    cancelUrl: `https://shop.example/?q=${query ?? ''}`,
    brand: { name, logoUrl: `/${query ?? ''}` },
  });
}

describe('pages without a payment', () => {
  it.each(LANGUAGES)('an unknown link says so in %s, with a next step', (language) => {
    const page = renderNotFoundPage({ language });
    expect(textOf(page)).toContain(wordsOf(language).notFoundNext);
    expect(page).not.toContain('data-id=');
  });

  it.each(LANGUAGES)('a service that is away says so in %s', (language) => {
    expect(textOf(renderUnavailablePage({ language }, 'unavailable'))).toContain(
      wordsOf(language).unavailableNext,
    );
    expect(textOf(renderUnavailablePage({ language }, 'busy'))).toContain(wordsOf(language).notices.busy);
  });
});
