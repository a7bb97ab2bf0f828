import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failureOf, Refusals } from '../platform/http/index.js';
import { LinkPages } from './link-pages.js';

/** A user at a link's page gets a page in their language, not a problem document. */
@Catch()
export class LinkPageFilter implements ExceptionFilter {
  private readonly logger = new Logger(LinkPageFilter.name);

  constructor(
    private readonly pages: LinkPages,
    private readonly refusals: Refusals,
  ) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const context = host.switchToHttp();
    const request = context.getRequest<FastifyRequest>();
    const reply = context.getResponse<FastifyReply>();
    const failure = failureOf(error);
    if (failure.status >= 500) {
      this.logger.error({
        requestId: request.id,
        stack: error instanceof Error ? error.stack : String(error),
      });
    }
    this.refusals.see(request, failure, 'Bearer');
    if (failure.retryAfterSeconds !== undefined) {
      void reply.header('Retry-After', String(Math.max(1, Math.ceil(failure.retryAfterSeconds))));
    }
    const message = failure.status === 404 ? 'not_found' : failure.status === 429 ? 'busy' : 'unavailable';
    await this.pages.sendMessage(request, reply, failure.status, message);
  }
}
