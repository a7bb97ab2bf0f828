import { isId } from '../../kernel/ids.js';
import { PaymentsService } from '../../payments/index.js';
import { cookieOf, SESSION_COOKIE } from '../kit/form-tokens.js';
import { LivePages } from './live.js';
import { DashboardPage, PageView } from '../kit/page.js';
import type { PageAnswer } from '../kit/page-definition.js';
import type { Visit } from '../kit/visit.js';

/** The stream of events by which open pages hear that there is something new (contract 10.4). */
@DashboardPage({ scope: 'store', path: 'live', name: { en: 'Live', bn: 'সরাসরি' } })
export class LivePage {
  constructor(
    private readonly live: LivePages,
    private readonly payments: PaymentsService,
  ) {}

  @PageView()
  async open(visit: Visit): Promise<PageAnswer> {
    const response = visit.reply.raw;
    const { session, store } = visit;
    const stream = this.live.take(response, {
      sessionId: session?.sessionId ?? '',
      userId: session?.user.id ?? '',
      storeId: store.id,
    });
    const asked = visit.query('payment').toLowerCase();
    const paymentId = isId(asked) ? asked : null;
    if (paymentId !== null) await this.payments.getOfStore(store.id, paymentId);
    visit.reply.hijack();
    stream.begin();
    const token = cookieOf(visit.request, SESSION_COOKIE) ?? '';
    this.live.follow({ stream, store, token, paymentId });
    return 'sent';
  }
}
