import type { PaymentStatus } from '../../payments/index.js';
import type { Language } from '../../platform/web/language.js';
import { wordsOf } from './checkout-words.js';

/** The words of one language as the beginning of that language's script: they are loaded with it once, and kept. */
export function scriptWords(language: Language): string {
  const words = wordsOf(language);
  const said = {
    ...words.script,
    notices: words.notices,
    headings: {
      pending: words.amountToPay,
      submitted: words.submittedHeading,
      verified: words.verifiedHeading,
      review: words.reviewHeading,
      expired: words.expiredHeading,
      cancelled: words.cancelledHeading,
    } satisfies Record<PaymentStatus, string>,
    titles: words.titles,
    staying: words.staying,
  };
  return `'use strict';\nconst checkoutWords = ${JSON.stringify(said)};\n`;
}
