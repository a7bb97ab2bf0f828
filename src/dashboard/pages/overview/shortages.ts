import type { AmountShortage } from '../../../payments/index.js';
import { fillText, html, type Markup, NOTHING } from '../../../platform/web/html.js';
import { ICONS } from '../../../platform/web/icons.js';
import type { Visit } from '../../kit/visit.js';

const TEXT = {
  ranOut: {
    en: 'Within the last hour all amounts of their own were taken for payments of {amounts}: some got the plain one, and their four digits may need your review.',
    bn: 'গত এক ঘণ্টায় {amounts}-এর পেমেন্টের সব আলাদা পরিমাণ শেষ হয়েছিল: কয়েকটি মূল পরিমাণ পেয়েছে, তাদের চারটি সংখ্যা আপনাকে যাচাই করতে হতে পারে।',
  },
};

/** Said where users look, because digits then verify less by themselves (contract 4.98). */
export function renderShortages(visit: Visit, shortages: readonly AmountShortage[]): Markup {
  if (shortages.length === 0) return NOTHING;
  const amounts = shortages.map(({ amountMinor, currency }) => visit.money(amountMinor, currency)).join(', ');
  return html`<p class="callout">
    ${ICONS.alert}<span>${fillText(visit.say(TEXT.ranOut), { amounts })}</span>
  </p>`;
}
