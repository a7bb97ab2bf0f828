import type { TrxIdRule } from './reader/message-fields.js';

/*
 * What the service knows about a wallet, as data: one file per wallet holds all of it, and nothing else in the
 * service names a wallet. A store may offer wallets that are not known here; whoever looks one up answers for that.
 */

/** The kind of account that receives the money; it decides which action the payer must choose in the wallet's app. */
export const ACCOUNT_TYPES = ['personal', 'merchant', 'agent'] as const;
export type AccountType = (typeof ACCOUNT_TYPES)[number];

/** Short code of a wallet: `[a-z0-9_]{2,20}` (contract 2.29). */
export const PROVIDER_PATTERN = /^[a-z0-9_]{2,20}$/;

/** The message about a code that does not fit `PROVIDER_PATTERN`. */
export const PROVIDER_RULE = 'must be a code of 2 to 20 lower-case letters, digits or _';

export interface InBothLanguages {
  readonly en: string;
  readonly bn: string;
}

/** The input of a payer after paying: the transaction id, or four digits of the number or card that was paid from. */
export type PayerEntry = 'trxId' | 'last4digit';

/**
 * The form of a wallet's transaction ids. A hint for the payer, never a reason to refuse (specification §2.3 names no
 * shape).
 */
export interface TrxIdShape {
  /** A JavaScript pattern for the whole id in capitals. */
  readonly pattern: string;
  readonly description: InBothLanguages;
  readonly example: string;
  /** How the wallet's own message writes it. */
  readonly label: string;
  readonly digitsOnly: boolean;
}

/**
 * Why a message is no receipt, or cannot be read (contract 9.6). Published: a word is never used for something else.
 */
export const MESSAGE_REASONS = [
  'outgoing',
  'promotion',
  'otp',
  'reversal',
  'own_money',
  'agent_direction',
  'unknown_sender',
  'look_alike_sender',
  'incomplete',
  'no_rule',
  'encrypted',
  'unreadable_body',
] as const;
export type MessageReason = (typeof MESSAGE_REASONS)[number];

/** The meaning that a rule gives a message: money that came in, money that went out, or neither. */
export type MessageMeaning =
  | 'received'
  | 'sent'
  | Extract<MessageReason, 'promotion' | 'otp' | 'reversal' | 'own_money' | 'agent_direction'>;

/**
 * One kind of message, in the notation of `message-pattern.ts`. A message that begins as `start` and goes on to its
 * last character as one of `rests` is of this kind; a receipt that only begins so was cut, and is `incomplete`. What
 * is no receipt is known by its start alone, so that nothing behind it can turn it into one.
 */
export interface MessageRule {
  /** Stays with the message (contract 9.4). */
  readonly name: string;
  /** Counted up when the wording changes. */
  readonly version: number;
  readonly means: MessageMeaning;
  /** Received money only: the receiving accounts for which it is a customer's. On others it is `agent_direction`. */
  readonly accounts: readonly AccountType[];
  /** The receipt's provider where it is not the wallet itself, for Bangla QR. */
  readonly provider?: string;
  readonly start: string;
  readonly rests: readonly string[];
}

/** A message as it was seen, and what it is: fixtures of a wallet, which its conformance suite starts from. */
export interface MessageSample {
  readonly id: string;
  readonly sender: string;
  readonly accountType: AccountType | null;
  readonly text: string;
  /** The text with `{ref}` for what the payer typed; the suite puts forgeries in its place. */
  readonly forgeable?: string;
  /**
   * It holds a whole forged message, so that a cut at the right place leaves one that nobody can tell from a true
   * one.
   */
  readonly forged?: true;
  readonly expected:
    | {
        readonly status: 'receipt';
        readonly provider: string;
        readonly trxId: string;
        /** In units, as the text has it. */
        readonly amount: number;
        readonly counterparty: string | null;
        readonly balance: number | null;
        /** UTC; null when the text names no time. */
        readonly receivedAt: string | null;
        readonly last4digit?: string | null;
      }
    | {
        readonly status: 'ignored' | 'unread';
        readonly reason: MessageReason;
        /** Outgoing money: what is to be read of it. Cut messages: what is left. */
        readonly trxId?: string | null;
        readonly amount?: number | null;
        readonly counterparty?: string | null;
      };
}

/** The messages that a wallet sends to the phone of the receiver. */
export interface WalletMessages {
  /** Its sender ids, exactly, but for the case of ASCII letters and blanks around them (wallets §1). */
  readonly senders: readonly string[];
  /** Read only for stores that offer this wallet: the wording is known from patterns, not from messages. */
  readonly onlyWhereOffered: boolean;
  readonly trxId: TrxIdRule;
  readonly rules: readonly MessageRule[];
  readonly samples: readonly MessageSample[];
}

/** The port: a wallet of the service's own, or of an extension that adds one (see `WalletRegistry.add`). */
export interface WalletProvider {
  /** Fits `PROVIDER_PATTERN`; stands in payments and receipts, so it never changes. */
  readonly code: string;
  readonly names: InBothLanguages;
  /** Code to dial, null when the wallet has an app only. */
  readonly ussd: string | null;
  readonly helpline: string | null;
  /** Background of its badge. Usual colours, darkened where white text would not reach a contrast of 4.5. */
  readonly colour: string;
  /** Text on `colour`, whichever reaches a contrast of 4.5. */
  readonly ink: string;
  /** One or two letters on the badge; logos are trademarks. */
  readonly badge: string;
  readonly entry: PayerEntry;
  /** Null where the shape of its ids is not known. */
  readonly trxId: TrxIdShape | null;
  /**
   * Its ids can be guessed: they rise like a counter, so that one id tells the next ones, or their form is not known.
   * Guess protection counts submissions of them (contract 4.77).
   */
  readonly guessable: boolean;
  /** The one ISO 4217 currency it pays in, null for any (contract 4.22). */
  readonly currency: string | null;
  /** Its messages to the phone of who is paid; null where none are known. */
  readonly messages: WalletMessages | null;
  /**
   * The accounts it has, and what the payer chooses in the wallet to pay to each. A wrong word brings another kind of
   * message.
   */
  readonly actions: Readonly<Partial<Record<AccountType, InBothLanguages>>>;
}

/** Accounts of customers' money as usual. */
export const NOT_AGENT: readonly AccountType[] = ['personal', 'merchant'];
export const AGENT_ONLY: readonly AccountType[] = ['agent'];

export const WHITE = '#ffffff';
export const BLACK = '#111111';

/** The words of all wallets that have the usual three kinds of account. */
export const USUAL_ACTIONS: Readonly<Record<AccountType, InBothLanguages>> = {
  personal: { en: 'Send Money', bn: 'সেন্ড মানি' },
  merchant: { en: 'Make Payment', bn: 'মেক পেমেন্ট' },
  agent: { en: 'Cash Out', bn: 'ক্যাশ আউট' },
};

/** The fields that most wallets share; see `WalletProvider` for each. */
const USUAL = {
  ussd: null,
  helpline: null,
  ink: WHITE,
  entry: 'trxId',
  trxId: null,
  guessable: false,
  currency: 'BDT',
  actions: USUAL_ACTIONS,
} as const satisfies Partial<WalletProvider>;

/** A wallet of the service's own, by what is special about it. */
export function defineWallet(
  special: Omit<WalletProvider, keyof typeof USUAL> & Partial<WalletProvider>,
): WalletProvider {
  return { ...USUAL, ...special };
}

/** The shape of ids of so many capitals and digits. */
export function lettersAndDigits(length: number, label: string, example: string): TrxIdShape {
  const inBangla = String(length).replace(/[0-9]/g, (digit) => '০১২৩৪৫৬৭৮৯'.charAt(Number(digit)));
  return {
    pattern: `[A-Z0-9]{${String(length)}}`,
    description: { en: `${String(length)} letters and digits`, bn: `${inBangla}টি অক্ষর ও সংখ্যা` },
    example,
    label,
    digitsOnly: false,
  };
}
