import { type ArgumentsHost, Catch } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { DomainError } from '../../kernel/domain-error.js';
import { Refusals } from '../../platform/http/index.js';
import { PageFilter } from '../../platform/web/page.filter.js';
import { languageFor, sendPage } from '../../platform/web/send-page.js';
import { AccountFirst, SignInRequired } from './dashboard.problems.js';
import { DashboardLayout } from './layout.js';
import type { VisitRequest } from './visit.js';

/** A user gets a page in their language, not a problem document; who must sign in first is led there, and back. */
@Catch()
export class DashboardFilter extends PageFilter {
  constructor(
    private readonly layout: DashboardLayout,
    refusals: Refusals,
  ) {
    super(refusals);
  }

  override async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<VisitRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (error instanceof SignInRequired) leadTo(reply, signInPath(request));
    else if (error instanceof AccountFirst) leadTo(reply, '/dashboard/account');
    else await super.catch(error, host);
  }

  protected async send(request: VisitRequest, reply: FastifyReply, failure: DomainError): Promise<void> {
    const page = this.layout.renderFailure(request.visit ?? null, languageFor(request), failure);
    await sendPage(request, reply, failure.status, page);
  }
}

function signInPath(request: VisitRequest): string {
  // A form cannot be sent again from there; the page it stood on can be opened again.
  const back = request.method === 'GET' ? request.url : '';
  const query = back === '' || back === '/dashboard' ? '' : `?next=${encodeURIComponent(back)}`;
  return `/dashboard/sign-in${query}`;
}

function leadTo(reply: FastifyReply, path: string): void {
  void reply.status(303).header('Location', path).header('Cache-Control', 'no-store').send();
}
