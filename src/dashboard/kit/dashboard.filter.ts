import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { failureOf, Refusals } from '../../platform/http/index.js';
import { languageFor, sendPage } from '../../platform/web/send-page.js';
import { AccountFirst, SignInRequired } from './dashboard.problems.js';
import { DashboardLayout } from './layout.js';
import type { VisitRequest } from './visit.js';

/** A user gets a page in their language, not a problem document; who must sign in first is led there, and back. */
@Catch()
export class DashboardFilter implements ExceptionFilter {
  private readonly logger = new Logger(DashboardFilter.name);

  constructor(
    private readonly layout: DashboardLayout,
    private readonly refusals: Refusals,
  ) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const context = host.switchToHttp();
    const request = context.getRequest<VisitRequest>();
    const reply = context.getResponse<FastifyReply>();
    if (error instanceof SignInRequired) return leadToSignIn(request, reply);
    if (error instanceof AccountFirst)
      return void reply
        .status(303)
        .header('Location', '/dashboard/account')
        .header('Cache-Control', 'no-store')
        .send();
    const failure = failureOf(error);
    if (failure.status >= 500) {
      this.logger.error({
        requestId: request.id,
        stack: error instanceof Error ? error.stack : String(error),
      });
    }
    this.refusals.see(request, failure, 'Bearer');
    if (failure.retryAfterSeconds !== undefined)
      void reply.header('Retry-After', String(Math.max(1, Math.ceil(failure.retryAfterSeconds))));
    if (reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    const page = this.layout.renderFailure(request.visit ?? null, languageFor(request), failure);
    await sendPage(request, reply, failure.status, page);
  }
}

function leadToSignIn(request: VisitRequest, reply: FastifyReply): void {
  // A form cannot be sent again from there; the page it stood on can be opened again.
  const back = request.method === 'GET' ? request.url : '';
  const query = back === '' || back === '/dashboard' ? '' : `?next=${encodeURIComponent(back)}`;
  void reply
    .status(303)
    .header('Location', `/dashboard/sign-in${query}`)
    .header('Cache-Control', 'no-store')
    .send();
}
