import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { invalidInput } from '../../kernel/domain-error.js';
import type { MinorUnits } from '../../kernel/money.js';
import type { Store } from '../../stores/index.js';
import { DayCloseRepository, type KnownReceipt, type Span } from './day-close.repository.js';
import { reconciliationBusy, statementWithoutDates } from './day-close.problems.js';
import { DaysService } from './days.service.js';
import type { DaySpan } from './statement-cells.js';
import type { ColumnNames } from './statement-columns.js';
import { type StatementLine, WalletStatement } from './wallet-statement.js';

/** A line of the statement whose money we know. */
export interface KnownLine extends StatementLine {
  readonly receipt: KnownReceipt;
}

/** A line whose money we do not know; `repeated` when the statement says it a second time. */
export interface UnknownLine extends StatementLine {
  readonly repeated: boolean;
}

/** A list that is kept up to a length, and counted to its end (contract 13.27). */
export class Listed<Item> {
  readonly items: Item[] = [];
  count = 0;

  add(item: Item): void {
    this.count += 1;
    if (this.items.length < MAX_LISTED) this.items.push(item);
  }
}

/** The comparison of a wallet's statement with our records (contract 13.25). */
export interface Reconciliation {
  /** The same amount. */
  readonly matched: Listed<KnownLine>;
  /** The statement says more than we know. */
  readonly over: Listed<KnownLine>;
  /** The statement says less. */
  readonly under: Listed<KnownLine>;
  readonly unknown: Listed<UnknownLine>;
  /** The days for which we look for what is missing. */
  readonly days: DaySpan;
  /** Our receipts of these days that the statement lacks, read on demand. */
  missing(): AsyncGenerator<KnownReceipt>;
}

export interface ReconciliationOptions {
  readonly provider: string;
  readonly columns: ColumnNames;
  /** Days, where they are not to be those of the statement. */
  readonly first: string | null;
  readonly last: string | null;
}

/** The most items of each list of a reconciliation (contract 13.27). */
export const MAX_LISTED = 10_000;

/** Statements that are compared at a time: each takes up to 50 MB (contract 14.41). */
const MAX_RUNNING = 2;
/** Lines that one statement looks up. */
const LINES_AT_A_TIME = 500;

type Verdicts = Record<'matched' | 'over' | 'under', Listed<KnownLine>> & {
  readonly unknown: Listed<UnknownLine>;
};

/**
 * Compares a wallet's statement with the receipts of a store: ids as they are normalised, amounts exactly. Keeps
 * nothing.
 */
@Injectable()
export class ReconciliationService {
  private running = 0;

  constructor(
    private readonly repository: DayCloseRepository,
    private readonly days: DaysService,
  ) {}

  /**
   * @throws DomainError 429 `request.rate_limited` while others are compared; `statement.columns_missing`,
   * `statement.unreadable`, `request.invalid` for days that are none
   */
  async reconcile(store: Store, file: Readable, options: ReconciliationOptions): Promise<Reconciliation> {
    if (this.running >= MAX_RUNNING) throw reconciliationBusy();
    this.running += 1;
    try {
      return await this.compare(store, file, options);
    } finally {
      this.running -= 1;
    }
  }

  private async compare(
    store: Store,
    file: Readable,
    options: ReconciliationOptions,
  ): Promise<Reconciliation> {
    const { provider, columns, first, last } = options;
    if (first !== null) this.days.spanOf(first, '/from');
    if (last !== null) this.days.spanOf(last, '/to');
    const statement = new WalletStatement(file, columns, this.days.timeZone);
    const seen = new Set<string>();
    const verdicts: Verdicts = {
      matched: new Listed(),
      over: new Listed(),
      under: new Listed(),
      unknown: new Listed(),
    };
    let lines: StatementLine[] = [];
    for await (const line of statement.lines()) {
      lines.push(line);
      if (lines.length < LINES_AT_A_TIME) continue;
      await this.judge(store.id, provider, lines, seen, verdicts);
      lines = [];
    }
    await this.judge(store.id, provider, lines, seen, verdicts);
    const days = spanOf(statement.days.span(), first, last);
    return {
      ...verdicts,
      days,
      missing: () => this.missing(store.id, provider, this.instantsOf(days), seen),
    };
  }

  private async judge(
    storeId: string,
    provider: string,
    lines: readonly StatementLine[],
    seen: Set<string>,
    verdicts: Verdicts,
  ): Promise<void> {
    if (lines.length === 0) return;
    const ids = [...new Set(lines.map(({ trxId }) => trxId))];
    const known = new Map(
      (await this.repository.knownById(storeId, provider, ids)).map((receipt) => [receipt.trxId, receipt]),
    );
    for (const line of lines) {
      const receipt = known.get(line.trxId);
      const repeated = seen.has(line.trxId);
      seen.add(line.trxId);
      if (receipt === undefined || repeated) verdicts.unknown.add({ ...line, repeated });
      else verdicts[verdictOf(line.amountMinor, receipt.amountMinor)].add({ ...line, receipt });
    }
  }

  private async *missing(
    storeId: string,
    provider: string,
    span: Span,
    seen: ReadonlySet<string>,
  ): AsyncGenerator<KnownReceipt> {
    let last: KnownReceipt | null = null;
    for (;;) {
      const after: { at: Date; id: string } | null =
        last === null ? null : { at: last.receivedAt, id: last.id };
      const known: KnownReceipt[] = await this.repository.knownOfSpan(
        storeId,
        provider,
        span,
        after,
        LINES_AT_A_TIME,
      );
      yield* known.filter(({ trxId }) => !seen.has(trxId));
      last = known.at(-1) ?? null;
      if (known.length < LINES_AT_A_TIME) return;
    }
  }

  private instantsOf({ first, last }: DaySpan): Span {
    return { from: this.days.spanOf(first).from, to: this.days.spanOf(last).to };
  }
}

function verdictOf(theirs: MinorUnits, ours: MinorUnits): 'matched' | 'over' | 'under' {
  if (theirs === ours) return 'matched';
  return theirs > ours ? 'over' : 'under';
}

function spanOf(found: DaySpan | null, first: string | null, last: string | null): DaySpan {
  const days = { first: first ?? found?.first, last: last ?? found?.last };
  if (days.first === undefined || days.last === undefined) throw statementWithoutDates();
  if (days.first > days.last)
    throw invalidInput([{ pointer: '/from', detail: 'must not be after the last day' }]);
  return { first: days.first, last: days.last };
}
