import { UseGuards } from '@nestjs/common';
import { COMPANY_SIGN_IN_MS, DashboardSessions, SsoSignIn } from '../../../accounts/index.js';
import { ServiceSettings } from '../../../platform/config/index.js';
import { notFound, PublicRateLimitGuard } from '../../../platform/http/index.js';
import { DomainError } from '../../../kernel/domain-error.js';
import { html } from '../../../platform/web/html.js';
import { cookie, cookieOf } from '../../kit/form-tokens.js';
import { DashboardPage, PageView } from '../../kit/page.js';
import type { InBothLanguages, PageAnswer } from '../../kit/page-definition.js';
import { renderNotice } from '../../../platform/web/controls.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { nextOf, takeSession } from '../sign-in/sign-in.page.js';
import { TEXT } from './words.js';

const CALLBACK = '/dashboard/sign-in/callback';
const TICKET_COOKIE = 'joma_company';

/** Leads to the identity provider (contract 10.37). Limited, because each costs a look at the provider. */
@DashboardPage({ scope: 'public', path: 'sign-in/company', name: WORDS.signIn })
@UseGuards(PublicRateLimitGuard)
export class SsoSignInPage {
  constructor(
    private readonly company: SsoSignIn,
    private readonly service: ServiceSettings,
  ) {}

  @PageView()
  async lead(visit: Visit): Promise<PageAnswer> {
    if (!this.company.isOffered) throw notOffered();
    if (visit.session !== null) return visit.goTo(nextOf(visit));
    const { publicUrl } = this.service;
    const { address, ticket } = await this.company.begin(`${publicUrl}${CALLBACK}`, nextOf(visit));
    const options = {
      secure: publicUrl.startsWith('https:'),
      maxAgeSeconds: COMPANY_SIGN_IN_MS / 1_000,
      path: CALLBACK,
    };
    void visit.reply.header('Set-Cookie', cookie(TICKET_COOKIE, ticket, options));
    return visit.goTo(address);
  }
}

/**
 * Back from there, with a code. A GET that opens a session, as the protocol has it: it holds for the browser that
 * asked alone.
 */
@DashboardPage({ scope: 'public', path: 'sign-in/callback', name: WORDS.signIn })
@UseGuards(PublicRateLimitGuard)
export class SsoCallbackPage {
  constructor(
    private readonly company: SsoSignIn,
    private readonly sessions: DashboardSessions,
    private readonly service: ServiceSettings,
  ) {}

  @PageView()
  async finish(visit: Visit): Promise<PageAnswer> {
    if (!this.company.isOffered) throw notOffered();
    const { publicUrl } = this.service;
    const secure = publicUrl.startsWith('https:');
    const ticket = cookieOf(visit.request, TICKET_COOKIE);
    // Good for one try, whatever comes of it.
    void visit.reply.header('Set-Cookie', cookie(TICKET_COOKIE, '', { secure, path: CALLBACK }));
    const answer = new URL(`${publicUrl}${CALLBACK}`);
    answer.search = /\?.*/.exec(visit.request.url)?.[0] ?? '';
    const from = { address: visit.request.ip, userAgent: visit.request.headers['user-agent'] ?? null };
    try {
      const signedIn = await this.company.finish(answer, ticket, from);
      if (signedIn === null) return refused(visit, 401, TEXT.refused);
      await takeSession(visit, this.sessions, signedIn.token, secure);
      return visit.goTo(signedIn.next);
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'forbidden') return refused(visit, 403, TEXT.noRole);
      throw error;
    }
  }
}

function refused(visit: Visit, status: number, words: InBothLanguages): PageAnswer {
  return visit.shown(
    html`${renderNotice(visit.say(words))}
      <section class="card narrow">
        <p class="buttons"><a class="primary" href="/dashboard/sign-in">${visit.say(TEXT.again)}</a></p>
      </section>`,
    { status },
  );
}

function notOffered(): DomainError {
  return notFound();
}
