import { Readable } from 'node:stream';
import { ServiceSettings } from '../../../platform/config/index.js';
import {
  type Payment,
  paymentFilterOf,
  PaymentQuery,
  PaymentsService,
  paymentView,
} from '../../../payments/index.js';
import { csvLines, type CsvValue } from '../../kit/csv.js';
import { DashboardPage, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import type { Visit } from '../../kit/visit.js';
import { filterOf } from '../payments/payments.page.js';

/** As the API names them; the time first, by which users sort. */
const COLUMNS = [
  ...(['createdAt', 'id', 'status', 'reviewReason', 'amount', 'currency', 'provider', 'trxId'] as const),
  ...(['payerNumber', 'customerName', 'customerPhone', 'note', 'payAmount', 'receivedAmount'] as const),
  ...(['refundedAmount', 'simulated', 'expiresAt', 'submittedAt', 'verifiedAt', 'cancelledAt'] as const),
];

const BATCH = 100;
/** Spreadsheets take text for UTF-8 only with this before it, and half of the names are in Bangla. */
const BYTE_ORDER_MARK = '\ufeff';

/** The filtered list of payments as a sheet, without its pages (contract 10.16). */
@DashboardPage({ scope: 'store', path: 'payments.csv', name: { en: 'Export CSV', bn: 'CSV নামান' } })
export class PaymentsExportPage {
  constructor(
    private readonly payments: PaymentsService,
    private readonly settings: ServiceSettings,
  ) {}

  @PageView()
  async send(visit: Visit): Promise<PageAnswer> {
    const query = await visit.checked(PaymentQuery, { ...filterOf(visit), limit: BATCH });
    const search = visit.query('search').trim();
    const filter = { ...paymentFilterOf(query), ...(search === '' ? {} : { search }) };
    // The first rows are read before the answer begins, so that what is wrong is still said as a page.
    const first = await this.payments.listOfStore(visit.store.id, filter, query);
    void visit.reply
      .status(200)
      .type('text/csv; charset=utf-8')
      .header('Content-Disposition', 'attachment; filename="payments.csv"')
      .header('Cache-Control', 'no-store')
      .send(Readable.from(this.linesFrom(visit.store.id, filter, query, first)));
    return 'sent';
  }

  private async *linesFrom(
    storeId: string,
    filter: Parameters<PaymentsService['listOfStore']>[1],
    query: PaymentQuery,
    first: Awaited<ReturnType<PaymentsService['listOfStore']>>,
  ): AsyncGenerator<string> {
    yield `${BYTE_ORDER_MARK}${csvLines([COLUMNS])}`;
    let page = first;
    for (;;) {
      if (page.data.length > 0) yield csvLines(page.data.map((payment) => this.cells(payment)));
      if (page.nextCursor === null) return;
      const next = Object.assign(new PaymentQuery(), query, { cursor: page.nextCursor });
      page = await this.payments.listOfStore(storeId, filter, next);
    }
  }

  private cells(payment: Payment): CsvValue[] {
    const view = paymentView(payment, this.settings.publicUrl);
    return COLUMNS.map((column) => view[column]);
  }
}
