/** The columns of a wallet's statement that are compared. */
export const STATEMENT_COLUMNS = ['date', 'trxId', 'amount'] as const;
export type StatementColumn = (typeof STATEMENT_COLUMNS)[number];

/** Which column of a record holds what. `direction` says of some exports what went out. */
export type ColumnPlaces = Readonly<Record<StatementColumn, number>> & { readonly direction: number | null };

/** Names that a caller gives to columns, where the usual ones do not do. */
export type ColumnNames = Readonly<Partial<Record<StatementColumn, string>>>;

/**
 * Names in the exports of bKash, Nagad and Rocket, and of the banks behind them, as `plainName` writes them; the
 * better ones first: where a file has several of them, the first counts.
 */
const USUAL_NAMES: Readonly<Record<StatementColumn, readonly string[]>> = {
  date: words(`
    date datetime dateandtime transactiondate transactiondatetime transactiondateandtime trxdate
    trxdatetime txndate txndatetime transdate paymentdate completiontime completiondate
    transactiontime trxtime txntime initiationtime createdat postingdate time তারিখ লেনদেনেরতারিখ
    সময় তারিখওসময়
  `),
  trxId: words(`
    trxid txnid transactionid transid txid trnxid tranid trxno txnno transactionno transactionnumber
    trxnumber receiptno receiptnumber transactionreference referenceno referenceid referencenumber
    refno refid reference ট্রানজেকশনআইডি ট্রানজ্যাকশনআইডি লেনদেনআইডি লেনদেনেরআইডি ট্রানজেকশননম্বর
  `),
  amount: words(`
    amount transactionamount trxamount txnamount transamount paymentamount paidamount receivedamount
    amountreceived creditamount credit paidin cashin moneyin deposit পরিমাণ টাকা টাকারপরিমাণ জমা
  `),
};

const DIRECTION_NAMES = words('drcr crdr debitcredit creditdebit direction transactiontype trxtype type');

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/**
 * Letters, digits and combining marks alone, in lower case, without a currency at the end: `Amount (BDT)` → `amount`.
 */
export function plainName(name: string): string {
  const plain = name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
  return /^(?:bdt|tk|taka)$/.test(plain) ? plain : plain.replace(/(?:inbdt|bdt|tk|taka)$/, '');
}

/** Where the columns stand, if this record is the header; else what is not in it. */
export function findColumns(
  record: readonly string[],
  given: ColumnNames,
): { readonly places: ColumnPlaces } | { readonly missing: readonly StatementColumn[] } {
  const names = record.map(plainName);
  const placeOf = (column: StatementColumn): number => {
    const own = given[column];
    if (own !== undefined) return names.indexOf(plainName(own));
    return firstOf(names, USUAL_NAMES[column]);
  };
  const places = { date: placeOf('date'), trxId: placeOf('trxId'), amount: placeOf('amount') };
  const missing = STATEMENT_COLUMNS.filter((column) => places[column] < 0);
  if (missing.length > 0) return { missing };
  const direction = firstOf(names, DIRECTION_NAMES);
  return { places: { ...places, direction: direction < 0 ? null : direction } };
}

function firstOf(names: readonly string[], wanted: readonly string[]): number {
  for (const name of wanted) {
    const place = names.indexOf(name);
    if (place >= 0) return place;
  }
  return -1;
}
