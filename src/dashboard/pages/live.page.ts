import { DashboardSessions } from '../../accounts/index.js';
import { DomainError } from '../../kernel/domain-error.js';
import { isId } from '../../kernel/ids.js';
import { PaymentsService } from '../../payments/index.js';
import { StoresService } from '../../stores/index.js';
import { cookieOf, SESSION_COOKIE } from '../form-tokens.js';
import { LivePages } from '../live.js';
import { DashboardPage, PageView } from '../page.js';
import type { PageAnswer } from '../page-definition.js';
import type { Visit } from '../visit.js';

/** The stream of events by which open pages hear that there is something new (decisions §10). */
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
    const storeId = visit.store.id;
    this.live.attach({
      storeId,
      sessionId,
      paymentId,
      response,
      mayRead: () => this.mayRead(token, storeId),
    });
    return 'sent';
  }

  private async mayRead(token: string, storeId: string): Promise<boolean> {
    const person = await this.sessions.findPerson(token);
    if (person === null) return false;
    try {
      await this.stores.getFor(person, storeId);
      return true;
    } catch (error) {
      if (error instanceof DomainError && error.kind !== 'unavailable') return false;
      throw error;
    }
  }
}
