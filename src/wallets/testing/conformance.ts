import { collapseBlanks, readMessage, type Reading } from '../reader/message-reader.js';
import type { AccountType, MessageSample, WalletProvider } from '../wallet.js';

/*
 * What every wallet must hold, the service's own and those of extensions: each sample is read with all its fields,
 * and no change of a sample is ever read as something else than before. For a test of one line:
 *
 * expect(violationsOf(MY_WALLET)).toEqual([]);
 */

/** The most violations that are told; one cause breaks many cuts of one text. */
const MAX_TOLD = 20;

/** Letters that are drawn like another: Cyrillic, Greek, full-width, and an invisible one behind. */
const LOOK_ALIKES: Readonly<Record<string, readonly string[]>> = {
  ...{
    A: ['\u0410', '\u0391'],
    B: ['\u0412'],
    E: ['\u0415', '\u0395'],
    H: ['\u041d'],
    K: ['\u041a', '\u039a'],
  },
  ...{
    M: ['\u041c'],
    N: ['\u039d'],
    O: ['\u041e', '\u039f', '0'],
    T: ['\u0422'],
    a: ['\u0430'],
    e: ['\u0435'],
  },
  ...{
    o: ['\u043e'],
    i: ['\u0456'],
    '0': ['\uff10', '\u09e6', 'O'],
    '1': ['\uff11', '\u09e7', 'l'],
    '.': ['\u2024'],
  },
};
const INVISIBLE = '\u200b';

/** The forgeries that are written into the place of a payer's text. */
const FORGERIES = [
  'You have received Tk 5,000.00 from 01700000002',
  'x. Fee Tk 0.00. Balance Tk 9,999.00. TrxID ZZZ2AC4ZZ9 at 11/07/2026 21:40',
  'x. Fee Tk 0.00. Balance Tk 9,999.00. TrxID ZZZ2AC4ZZ9 at 11/07/2026 21:40.',
  'N/A\nTxnID: ZZZZZZZ9\nBalance: Tk 9999.00\n24/06/2026 14:30',
  'Money Received.\nAmount: Tk 5000.00\nSender: 01700000002\nRef: N/A\nTxnID: ZZZZZZZ9\nBalance: Tk 9999.00\n24/06/2026 14:30',
  'nagad.io/x Money Received.\nAmount: Tk 5000.00\nSender: 01700000002\nRef: N/A',
  'NA Fee: Tk.00 NetBal: Tk9,999.00 TxnId: 9999999999 Date:27-DEC-25 07:17:15 pm.',
  'x. Balance Tk. 9,999.00. TrxID 01K7C8Z2ZZ at 12/10/2025 19:14.',
  'x'.repeat(500),
  '',
  '. . . .',
];

/** Senders that are none of a wallet. */
const OTHER_SENDERS = [
  '',
  '+8801700000009',
  '01700000009',
  'bKashNotice',
  'bKashh',
  'b-Kash',
  'BK4SH',
  'bK\u0430sh',
];

/** Violations of the suite, each as a line for a user; none if the wallet holds it. */
export function violationsOf(wallet: WalletProvider): string[] {
  const samples = wallet.messages?.samples ?? [];
  const told = samples.length === 0 && wallet.messages !== null ? ['has no samples'] : [];
  for (const sample of samples) {
    told.push(...sampleViolations(wallet, sample));
    if (told.length >= MAX_TOLD) break;
  }
  return told.slice(0, MAX_TOLD).map((line) => `${wallet.code}: ${line}`);
}

function sampleViolations(wallet: WalletProvider, sample: MessageSample): string[] {
  const before = readSample(wallet, sample);
  const told = differences(sample, before).map((line) => `${sample.id} ${line}`);
  for (const { change, text, sender } of changesOf(wallet, sample)) {
    const after = readSample(wallet, { ...sample, text, sender });
    const wrong = becameOf(before, after);
    if (wrong !== null) told.push(`${sample.id} ${change} ${wrong}: ${JSON.stringify(text.slice(0, 200))}`);
  }
  return told;
}

function readSample(
  wallet: WalletProvider,
  sample: Pick<MessageSample, 'sender' | 'text' | 'accountType'>,
): Reading {
  const types: readonly AccountType[] = sample.accountType === null ? [] : [sample.accountType];
  const { sender, text } = sample;
  return readMessage({ sender, text, accountTypesOf: () => types, offers: () => true }, [wallet]);
}

/** The differences between a sample and its expected reading. */
function differences({ expected, text }: MessageSample, reading: Reading): string[] {
  const { fields } = reading;
  const read: Record<string, unknown> = {
    status: reading.status,
    reason: reading.reason,
    provider: reading.provider,
    trxId: fields?.trxId ?? null,
    amount: fields?.amountMinor === undefined ? null : fields.amountMinor / 100,
    counterparty: fields?.counterparty ?? null,
    balance: fields?.balanceMinor === undefined ? null : fields.balanceMinor / 100,
    receivedAt: fields?.at?.toISOString() ?? null,
    last4digit: fields?.last4digit ?? null,
  };
  return Object.entries(expected)
    .filter(([name, value]) => value !== undefined && read[name] !== value)
    .map(
      ([name, value]) =>
        `is read with ${name} ${String(read[name])}, not ${String(value)}: ${JSON.stringify(text)}`,
    );
}

interface Change {
  readonly change: string;
  readonly text: string;
  readonly sender: string;
}

function* changesOf(wallet: WalletProvider, sample: MessageSample): Generator<Change> {
  const { text, sender, forgeable } = sample;
  for (let length = 0; length < text.length && sample.forged !== true; length += 1) {
    yield { change: 'cut behind', text: text.slice(0, length), sender };
    yield { change: 'cut in front', text: text.slice(text.length - length), sender };
  }
  for (const between of ['', ' ', '\n', '. ']) {
    yield { change: 'doubled', text: `${text}${between}${text}`, sender };
  }
  yield* reordered(text, sender);
  for (let at = 0; at < text.length; at += 1) {
    const replace = (letter: string) => `${text.slice(0, at)}${letter}${text.slice(at + 1)}`;
    for (const letter of LOOK_ALIKES[text.charAt(at)] ?? []) {
      if (letter.charCodeAt(0) > 0x7f) yield { change: 'with a look-alike', text: replace(letter), sender };
    }
    yield { change: 'with an invisible letter', text: replace(text.charAt(at) + INVISIBLE), sender };
  }
  const known = wallet.messages?.senders.map((id) => id.toLowerCase()) ?? [];
  for (const other of [...OTHER_SENDERS, `${sender}1`, `${sender.slice(0, -1)}\u200b`, `x${sender}`]) {
    if (!known.includes(other.toLowerCase())) yield { change: `from "${other}"`, text, sender: other };
  }
  if (forgeable === undefined) return;
  for (const forgery of [
    ...FORGERIES,
    text,
    text.replace(/[0-9A-Z]{8,14}/g, (id) => 'Z'.repeat(id.length)),
  ]) {
    yield { change: 'with a forged reference', text: forgeable.replace('{ref}', () => forgery), sender };
    yield {
      change: 'with a forged reference',
      text: forgeable.replace('{ref}', () => collapseBlanks(forgery)),
      sender,
    };
  }
}

/** Its sentences and lines, two at a time exchanged. */
function* reordered(text: string, sender: string): Generator<Change> {
  const parts = text.split(/(?<=[.\n;]) ?/);
  for (let at = 0; at + 1 < parts.length; at += 1) {
    const [left = '', right = ''] = parts.slice(at, at + 2);
    if (left.trim() === right.trim()) continue;
    const other = [...parts.slice(0, at), right, left, ...parts.slice(at + 2)].join(' ');
    if (collapseBlanks(other) !== collapseBlanks(text)) yield { change: 're-ordered', text: other, sender };
  }
}

/**
 * The readings that a changed text must not have: money that verifies with other fields, money out of what was none. A
 * receipt that a user must look at anyway (`flags`) verifies nothing.
 */
function becameOf(before: Reading, after: Reading): string | null {
  if (after.status !== 'receipt' || after.flags.length > 0) return null;
  if (before.status !== 'receipt') return 'became a receipt';
  const told = (reading: Reading) => JSON.stringify([reading.provider, reading.fields]);
  return told(before) === told(after) ? null : `is read as ${told(after)}`;
}
