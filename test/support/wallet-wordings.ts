/*
 * Messages of the wallets as they might be written tomorrow: each shape of the wallets' document (wallets §2) with
 * everything in it that may vary chosen by lot, with what is true in it. Seeded, so that a run can be repeated.
 */

/** What a text tells, whoever reads it. */
export interface Told {
  readonly provider: string;
  readonly trxId: string;
  readonly amount: number;
  readonly counterparty: string | null;
  readonly balance: number;
  readonly receivedAt: string;
  readonly last4digit: string | null;
}

export interface Wording {
  readonly wallet: 'bkash' | 'nagad' | 'rocket' | 'upay';
  readonly shape: string;
  readonly sender: string;
  readonly accountType: 'personal' | 'merchant' | 'agent';
  readonly text: string;
  readonly told: Told;
}

/** Numbers from a seed (mulberry32), so that a text that is not read can be made again. */
export class Lots {
  constructor(private state: number) {}

  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  of<Choice>(...choices: readonly Choice[]): Choice {
    return choices[this.below(choices.length)] as Choice;
  }

  text(length: number, alphabet: string): string {
    return Array.from({ length }, () => alphabet.charAt(this.below(alphabet.length))).join('');
  }
}

const DIGITS = '0123456789';
const CAPITALS_AND_DIGITS = `${DIGITS}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const DHAKA_OFFSET_MS = 6 * 3_600_000;
const EARLIEST = Date.UTC(2026, 0, 1);
const MINUTES = 300 * 24 * 60;

/** What payers type; none of it is what it pretends to be. */
export const REFERENCES: readonly string[] = [
  '1',
  'order 1043',
  'jazakallah vai',
  'for books, two pcs',
  'Rent (March), flat 4B.',
  'Mr. Rahim',
  'inv-2026/11/04',
  'ধন্যবাদ ভাই',
  'দোকান ১২',
  'Tk 5,000.00',
  'Fee Tk 0.00',
  'Balance',
  'TrxID',
  'TxnID: 75ZZZZZZ',
  'Counter 3',
  "o'clock & co.",
  'You have received Tk 9,000.00 from 01711111111',
  'x. Fee Tk 0.00. Balance Tk 9,999.00. TrxID ZZZ2AC4ZZ9 at 11/07/2026 21:40',
  'N/A TxnID: ZZZZZZZ9 Balance: Tk 9999.00 24/06/2026 14:30',
  'NA Fee: Tk.00 NetBal: Tk9,999.00 TxnId: 9999999999 Date:27-DEC-25 07:17:15 pm.',
  'x. Balance Tk. 9,999.00. TrxID 01K7C8Z2ZZ at 12/10/2025 19:14.',
];

const ADVERTISEMENTS: readonly string[] = [
  'Download App: https://bKa.sh/8app',
  'Do not share your PIN with anyone.',
  'Get 20% off at Shwapno! Details: https://bit.ly/3xyz',
  'Cashback on Tk 500',
  'অ্যাপ ডাউনলোড করুন',
];

interface Money {
  readonly value: number;
  readonly grouped: string;
  readonly plain: string;
}

/** `5,075.00`, `5075`, `1,20,000.50`, `.50`: an amount and how it may be written. */
function money(lots: Lots, least: number): Money {
  const minor = lots.of(
    least + lots.below(100_000),
    (1 + lots.below(5_000)) * 100 + least,
    10_000_000 + lots.below(99_000_000),
  );
  const whole = Math.floor(minor / 100);
  const cents = String(minor % 100).padStart(2, '0');
  const decimals = lots.of(
    `.${cents}`,
    cents === '00' ? '' : `.${cents}`,
    cents.endsWith('0') ? `.${cents[0] ?? ''}` : `.${cents}`,
  );
  const western = whole.toLocaleString('en-US');
  const lakh = whole.toLocaleString('en-IN');
  return {
    value: minor / 100,
    grouped: lots.of(western, western, lakh, String(whole)) + decimals,
    plain: String(whole) + decimals,
  };
}

interface Instant {
  readonly at: Date;
  readonly minute: string;
  readonly second: string;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const two = (value: number) => String(value).padStart(2, '0');

function instant(lots: Lots): Instant {
  const at = new Date(EARLIEST + lots.below(MINUTES) * 60_000);
  const local = new Date(at.getTime() + DHAKA_OFFSET_MS);
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()];
  const [hour, minute] = [local.getUTCHours(), local.getUTCMinutes()];
  const half = hour < 12 ? 'am' : 'pm';
  const clock = `${two(hour % 12 === 0 ? 12 : hour % 12)}:${two(minute)}:00`;
  return {
    at,
    minute: `${two(day)}/${two(month + 1)}/${String(year)} ${two(hour)}:${two(minute)}`,
    second: `${two(day)}-${MONTHS[month] ?? ''}-${String(year).slice(2)} ${clock} ${lots.of(half, half, half.toUpperCase())}`,
  };
}

const phone = (lots: Lots) => `01${lots.of('3', '5', '7', '8', '9')}${lots.text(8, DIGITS)}`;
const masked = (number: string) => `${number.slice(0, 4)}XXXX${number.slice(8)}`;

/** What every text has: its parts, drawn. */
function draw(lots: Lots) {
  const amount = money(lots, 1);
  const rest = money(lots, 0);
  const balanceMinor = Math.round(amount.value * 100) + Math.round(rest.value * 100);
  const balance = (balanceMinor / 100).toFixed(2);
  const [whole = '', cents = ''] = balance.split('.');
  return {
    amount,
    balance: {
      value: balanceMinor / 100,
      plain: balance,
      grouped: `${Number(whole).toLocaleString('en-US')}.${cents}`,
    },
    time: instant(lots),
    payer: phone(lots),
    reference: lots.of(...REFERENCES),
    advertisement: lots.of('', '', `. ${lots.of(...ADVERTISEMENTS)}`),
    gap: lots.of('', ' '),
    stop: lots.of('', '.'),
  };
}

type Shape = (lots: Lots) => Wording;

const taka = (lots: Lots) => lots.of('Tk ', 'Tk ', 'Tk ', 'Tk', 'Tk. ', 'TK ', 'BDT ');

function bkash(
  shape: string,
  accountType: Wording['accountType'],
  write: (lots: Lots, parts: ReturnType<typeof draw>) => [payer: string, text: (tail: string) => string],
): Shape {
  return (lots) => {
    const parts = draw(lots);
    const trxId = `D${lots.of('A', 'E', 'I', 'K')}${lots.text(8, CAPITALS_AND_DIGITS)}`;
    const { amount, balance, time } = parts;
    const tail = `Balance Tk ${balance.grouped}.${lots.of(' ', ' ', '')}TrxID ${trxId} at ${time.minute}`;
    const [counterparty, text] = write(lots, parts);
    return {
      wallet: 'bkash',
      shape,
      accountType,
      sender: lots.of('bKash', 'bKash', 'BKASH', ' bkash '),
      text: text(tail),
      told: {
        provider: 'bkash',
        trxId,
        amount: amount.value,
        counterparty,
        balance: balance.value,
        receivedAt: time.at.toISOString(),
        last4digit: null,
      },
    };
  };
}

const fee = (lots: Lots) => `Fee ${lots.of('Tk 0.00', 'Tk 0', 'Tk 5.00', 'Tk .00', 'Tk 1,234.50')}.`;

const BKASH_SHAPES: readonly Shape[] = [
  bkash('send money', 'personal', (lots, { amount, payer, gap, advertisement, stop }) => [
    payer,
    (tail) =>
      `You have received ${taka(lots)}${amount.grouped} from ${payer}.${gap}${fee(lots)} ${tail}${advertisement || stop}`,
  ]),
  bkash(
    'send money with a reference',
    lotsPersonal(),
    (lots, { amount, payer, gap, reference, advertisement, stop }) => [
      payer,
      (tail) =>
        `You have received ${taka(lots)}${amount.grouped} from ${payer}.${gap}Ref ${reference}.${lots.of(' ', '')}${fee(lots)} ${tail}${advertisement || stop}`,
    ],
  ),
  bkash('from a business', 'personal', (lots, { amount, stop }) => {
    const name = lots.of(
      'OnnorokomWeb',
      'Daraz Bangladesh Ltd',
      'Shop & Sons (Dhaka)',
      'KAHF BANGLADESH LTD-RM67912',
      "Rahim's Store",
      'A.B.C. Trading',
      'DMart Online',
      'Dhaka 24',
    );
    return [name, (tail) => `You have received ${taka(lots)}${amount.grouped} from ${name}. ${tail}${stop}`];
  }),
  bkash('payment', 'merchant', (lots, { amount, payer, gap, advertisement, stop }) => {
    const shown = lots.of(payer, masked(payer));
    return [
      shown,
      (tail) =>
        `You have received payment ${taka(lots)}${amount.grouped} from ${shown}.${lots.of('', ' Counter 1.', ' Counter A12.')}${gap}${fee(lots)} ${tail}${advertisement || stop}`,
    ];
  }),
  bkash(
    'payment with a reference',
    'merchant',
    (lots, { amount, payer, gap, reference, advertisement, stop }) => {
      const shown = lots.of(payer, masked(payer));
      return [
        shown,
        (tail) =>
          `You have received payment ${taka(lots)}${amount.grouped} from ${shown}.${gap}Ref ${reference}.${lots.of('', ' Counter 2.')} ${fee(lots)} ${tail}${advertisement || stop}`,
      ];
    },
  ),
  bkash('cash in', 'personal', (lots, { amount, payer, advertisement, stop }) => [
    payer,
    (tail) =>
      `Cash In ${taka(lots)}${amount.grouped} from ${payer} successful. ${fee(lots)} ${tail}${advertisement || stop}`,
  ]),
  bkash('cash out at an agent', 'agent', (lots, { amount, payer, advertisement, stop }) => [
    payer,
    (tail) =>
      `Cash Out ${taka(lots)}${amount.grouped} from ${payer} successful. ${fee(lots)} ${tail}${advertisement || stop}`,
  ]),
];

function lotsPersonal(): Wording['accountType'] {
  return 'personal';
}

interface NagadLine {
  readonly opening: string;
  readonly payerLabel: string | null;
  readonly reference: boolean;
  readonly promotions: readonly string[];
}

function nagad(
  shape: string,
  accountType: Wording['accountType'],
  line: NagadLine,
  provider = 'nagad',
): Shape {
  return (lots) => {
    const { amount, balance, time, payer, reference } = draw(lots);
    const trxId = `7${lots.of('5', '6')}${lots.text(6, CAPITALS_AND_DIGITS)}`;
    const between = lots.of('\n', ' ', '\r\n', '\n\n', ' \n ', '');
    const colon = lots.of(': ', ': ', ':');
    const parts = [
      line.opening,
      `${lots.of('Amount', 'Amt')}${colon}Tk ${lots.of(amount.plain, amount.plain, amount.grouped)}`,
      ...(line.payerLabel === null ? [] : [`${line.payerLabel}${colon}${payer}`]),
      ...(line.reference ? lots.of([], [`Ref${colon}${lots.of('N/A', reference)}`]) : []),
      `${line.payerLabel === null ? 'Txn ID' : 'TxnID'}${colon}${trxId}`,
      `${lots.of('Balance', 'Bal')}${colon}${lots.of('Tk ', '')}${balance.plain}`,
      time.minute,
    ];
    const promotion = lots.of('', ...line.promotions);
    return {
      wallet: 'nagad',
      shape,
      accountType,
      sender: lots.of('NAGAD', 'Nagad', 'nagad'),
      text: `${promotion === '' ? '' : `${promotion}${lots.of('\n', ' ')}`}${parts.join(between)}`,
      told: {
        provider,
        trxId,
        amount: amount.value,
        counterparty: line.payerLabel === null ? null : payer,
        balance: balance.value,
        receivedAt: time.at.toISOString(),
        last4digit: null,
      },
    };
  };
}

const NAGAD_PROMOTIONS = [
  'WIN LAND IN DHAKA! CLICK NOW nagad.io/jmi',
  'ঈদ মোবারক! অফার দেখুন nagad.io/eid',
  'Recharge & get 20% cashback: https://nagad.io/r1',
];

/** Exact punctuation there, because of a forgery on record (wallets §3). */
const NAGAD_AGENT: Shape = (lots) => {
  const { amount, balance, time, payer } = draw(lots);
  const trxId = `7${lots.of('5', '6')}${lots.text(6, CAPITALS_AND_DIGITS)}`;
  const parts = [
    'Cash Out Received.',
    `Amount: Tk ${amount.plain}`,
    `Customer: ${payer}`,
    `TxnID: ${trxId}`,
    `Comm: Tk ${lots.of('8.61', '0.4', '12', '1.23456')}`,
    `Balance: Tk ${balance.plain}`,
    time.minute,
  ];
  return {
    wallet: 'nagad',
    shape: 'cash out at an agent',
    accountType: 'agent',
    sender: 'NAGAD',
    text: parts.join(lots.of('\n', ' ', '')),
    told: {
      provider: 'nagad',
      trxId,
      amount: amount.value,
      counterparty: payer,
      balance: balance.value,
      receivedAt: time.at.toISOString(),
      last4digit: null,
    },
  };
};

const NAGAD_SHAPES: readonly Shape[] = [
  nagad('money received', 'personal', {
    opening: 'Money Received.',
    payerLabel: 'Sender',
    reference: true,
    promotions: NAGAD_PROMOTIONS,
  }),
  nagad('cash in', 'personal', {
    opening: 'Cash In Received.',
    payerLabel: 'Uddokta',
    reference: false,
    promotions: [...NAGAD_PROMOTIONS, 'Eid offer!'],
  }),
  nagad('payment', 'merchant', {
    opening: 'Payment Received.',
    payerLabel: 'Customer',
    reference: false,
    promotions: [],
  }),
  nagad(
    'bangla qr',
    'merchant',
    {
      opening: 'Payment - Bangla QR Successfully Received.',
      payerLabel: null,
      reference: false,
      promotions: [],
    },
    'qr',
  ),
  NAGAD_AGENT,
];

function rocket(
  shape: string,
  accountType: Wording['accountType'],
  write: (lots: Lots, parts: ReturnType<typeof draw> & { account: string }) => (id: string) => string,
  provider = 'rocket',
): Shape {
  return (lots) => {
    const parts = draw(lots);
    const { amount, balance, time, payer } = parts;
    const trxId = `6${lots.text(9, DIGITS)}`;
    const account =
      provider === 'qr'
        ? `${payer.slice(0, 3)}****${payer.slice(-4)}`
        : lots.of(`***${payer.slice(-3)}`, `${payer}${lots.text(1, DIGITS)}`);
    const id = `TxnId:${lots.of('', ' ')}${trxId} Date:${lots.of('', ' ')}${time.second}`;
    return {
      wallet: 'rocket',
      shape,
      accountType,
      sender: '16216',
      text: write(lots, { ...parts, account })(id),
      told: {
        provider,
        trxId,
        amount: amount.value,
        counterparty: account,
        balance: balance.value,
        receivedAt: time.at.toISOString(),
        last4digit: provider === 'qr' ? payer.slice(-4) : null,
      },
    };
  };
}

const NEXUS = ['', '.', '. Download https://bit.ly/nexuspay', '. Please download https://bit.ly/nexuspay'];

const ROCKET_SHAPES: readonly Shape[] = [
  rocket(
    'send money',
    'personal',
    (lots, { amount, balance, account }) =>
      (id) =>
        `Tk${amount.grouped} received from A/C:${lots.of('', ' ')}${account} Fee:${lots.of('Tk0', 'Tk.00', 'Tk1.27')}, Your A/C Balance: Tk${balance.grouped} ${id}${lots.of(...NEXUS)}`,
  ),
  rocket(
    'cash in',
    'personal',
    (lots, { amount, balance, account }) =>
      (id) =>
        `Cash-In from A/C: ${account} Tk${amount.grouped} Fee: ${lots.of('Tk.00', 'Tk0', 'Tk5.00')}, Your A/C Balance: Tk${balance.grouped}.${lots.of('', ' ')}${id}${lots.of(...NEXUS)}`,
  ),
  rocket(
    'payment',
    'merchant',
    (lots, { amount, balance, account, reference }) =>
      (id) =>
        `Tk.${amount.grouped} received from A/C:${account} Ref No: ${lots.of('NA', reference)} Fee: Tk.00 NetBal: Tk${balance.grouped} ${id}${lots.of(...NEXUS)}`,
  ),
  rocket(
    'bangla qr',
    'merchant',
    (lots, { amount, balance, account }) =>
      (id) =>
        `Tk${amount.grouped} received from Ac./Card:${account} Fee: Tk.00 NetBal: Tk${balance.grouped} ${id}${lots.of('', '.')}`,
    'qr',
  ),
  rocket(
    'cash out at an agent',
    'agent',
    (lots, { amount, balance, account }) =>
      (id) =>
        `Cash-Out from A/C: ${account} Tk${amount.grouped} Comm:Tk${lots.of('2.10', '0', '3.69123')}; A/C Balance: Tk${balance.grouped}.${lots.of('', ' ')}${id}${lots.of(...NEXUS)}`,
  ),
];

function upay(
  shape: string,
  accountType: Wording['accountType'],
  write: (lots: Lots, parts: ReturnType<typeof draw>) => string,
): Shape {
  return (lots) => {
    const parts = draw(lots);
    const trxId = `01${lots.text(8, CROCKFORD)}`;
    const { amount, balance, time, payer, stop } = parts;
    return {
      wallet: 'upay',
      shape,
      accountType,
      sender: lots.of('upay', 'UPAY', 'Upay'),
      text: `${write(lots, parts)} Balance ${lots.of('Tk. ', 'Tk.', 'Tk ')}${lots.of(balance.plain, balance.grouped)}. TrxID ${trxId} at ${time.minute}${stop}`,
      told: {
        provider: 'upay',
        trxId,
        amount: amount.value,
        counterparty: payer,
        balance: balance.value,
        receivedAt: time.at.toISOString(),
        last4digit: null,
      },
    };
  };
}

const dotted = (lots: Lots) => lots.of('Tk. ', 'Tk. ', 'Tk.', 'Tk ');

const UPAY_SHAPES: readonly Shape[] = [
  upay(
    'money received',
    'personal',
    (lots, { amount, payer }) =>
      `${dotted(lots)}${lots.of(amount.plain, amount.grouped)} has been received from ${payer}. Ref-.`,
  ),
  upay(
    'money received with a reference',
    'merchant',
    (lots, { amount, payer, reference }) =>
      `${dotted(lots)}${lots.of(amount.plain, amount.grouped)} has been received from ${payer}. Ref-${lots.of('', ' ')}${reference}.`,
  ),
  upay(
    'payment',
    'merchant',
    (lots, { amount, payer }) => `Received Payment of ${dotted(lots)}${amount.plain} from ${payer}.`,
  ),
  upay(
    'cash out at an agent',
    'agent',
    (lots, { amount, payer }) =>
      `You have received Cash-out of ${dotted(lots)}${amount.plain} from ${payer}. Comm: TK. ${lots.of('16.1343', '3.69123', '0.5', '4')}.`,
  ),
];

const SHAPES: readonly (readonly Shape[])[] = [BKASH_SHAPES, NAGAD_SHAPES, ROCKET_SHAPES, UPAY_SHAPES];

/** So many texts of every shape of every wallet. */
export function wordings(seed: number, ofEach: number): Wording[] {
  const lots = new Lots(seed);
  return SHAPES.flat().flatMap((shape) => Array.from({ length: ofEach }, () => shape(lots)));
}
