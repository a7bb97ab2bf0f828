import { formatMinor, minorFromNumber } from '../../kernel/money.js';

/** The facts that a mail tells about a payment. */
export interface MailFacts {
  readonly storeName: string;
  readonly paymentId: string;
  readonly amount: number;
  readonly currency: string;
  readonly provider: string | null;
  readonly trxId: string | null;
  readonly customerName: string | null;
  readonly note: string | null;
  readonly reviewReason: string | null;
  /** Where the payment is looked at. */
  readonly url: string;
}

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

const MAX_SUBJECT_CHARACTERS = 150;

/** A payment is verified: Bangla first, then English. */
export function verifiedMail(facts: MailFacts): MailText {
  return mail(facts, {
    subject: `পেমেন্ট যাচাই হয়েছে · Payment verified: ${moneyOf(facts)}`,
    bangla: `${facts.storeName}: একটি পেমেন্ট যাচাই হয়েছে।`,
    english: `${facts.storeName}: a payment is verified.`,
  });
}

/** A payment waits for a user to look at it. */
export function reviewMail(facts: MailFacts): MailText {
  const reason = facts.reviewReason ?? '';
  return mail(facts, {
    subject: `পেমেন্ট পর্যালোচনা করুন · Payment in review: ${moneyOf(facts)}`,
    bangla: `${facts.storeName}: একটি পেমেন্ট আপনার সিদ্ধান্তের অপেক্ষায় আছে (${reason})।`,
    english: `${facts.storeName}: a payment waits for your decision (${reason}).`,
  });
}

function mail(
  facts: MailFacts,
  { subject, bangla, english }: { subject: string; bangla: string; english: string },
): MailText {
  const rows = [
    ['পরিমাণ / Amount', moneyOf(facts)],
    ['ওয়ালেট / Wallet', facts.provider],
    ['TrxID', facts.trxId],
    ['গ্রাহক / Customer', facts.customerName],
    ['নোট / Note', facts.note],
    ['Payment', facts.paymentId],
  ];
  const lines = rows.flatMap(([name, value]) =>
    value === null ? [] : [`${String(name)}: ${String(value)}`],
  );
  return {
    subject: [...(facts.note === null ? subject : `${subject} (${facts.note})`).replace(/\s+/g, ' ')]
      .slice(0, MAX_SUBJECT_CHARACTERS)
      .join(''),
    text: [bangla, english, '', ...lines, '', facts.url, ''].join('\n'),
  };
}

function moneyOf({ amount, currency }: MailFacts): string {
  return `${formatMinor(minorFromNumber(amount) ?? 0)} ${currency}`;
}
