import { DashboardSessions } from '../../accounts/index.js';
import { isId } from '../../kernel/ids.js';
import { PaymentsService } from '../../payments/index.js';
import { StoresService } from '../../stores/index.js';
import { cookieOf, SESSION_COOKIE } from '../kit/form-tokens.js';
import { LivePages } from './live.js';
import { DashboardPage, PageView } from '../kit/page.js';
import type { PageAnswer } from '../kit/page-definition.js';
import type { Visit } from '../kit/visit.js';

/** The stream of events by which open pages hear that there is something new (contract 10.23). */
@DashboardPage({ scope: 'store', path: 'live', name: { en: 'Live', bn: 'সরাসরি' } })
export class LivePage {
  constructor(
    private readonly live: LivePages,
    private readonly payments: PaymentsService,
    private readonly sessions: DashboardSessions,
    private readonly stores: StoresService,
  ) {}

  @PageView()
  async open(visit: Visit): Promise<PageAnswer> {
    const sessionId = visit.session?.sessionId ?? '';
    this.live.admit(sessionId);
    const asked = visit.query('payment').toLowerCase();
    const paymentId = isId(asked) ? asked : null;
    if (paymentId !== null) await this.payments.getOfStore(visit.store.id, paymentId);
    visit.reply.hijack();
    const response = visit.reply.raw;
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    const token = cookieOf(visit.request, SESSION_COOKIE) ?? '';
    const { store } = visit;
    const mayRead = async (): Promise<boolean> => {
      const user = await this.sessions.findUser(token);
      return user !== null && (await this.stores.roleOf(user, store)) !== null;
    };
    this.live.attach({ storeId: store.id, sessionId, paymentId, response, mayRead });
    return 'sent';
  }
}
