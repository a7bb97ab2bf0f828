import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DomainError } from '../../kernel/domain-error.js';
import { stackOf } from '../../kernel/error-text.js';
import { failureOf, type Refusals } from '../http/index.js';

/** Turns errors of a page into pages; problem details are for programs. */
@Catch()
export abstract class PageFilter implements ExceptionFilter {
  private readonly logger = new Logger(this.constructor.name);

  constructor(private readonly refusals: Refusals) {}

  protected abstract send(request: FastifyRequest, reply: FastifyReply, failure: DomainError): Promise<void>;

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const context = host.switchToHttp();
    const request = context.getRequest<FastifyRequest>();
    const reply = context.getResponse<FastifyReply>();
    const failure = failureOf(error);
    if (failure.status >= 500) this.logger.error({ requestId: request.id, stack: stackOf(error) });
    this.refusals.see(request, failure, 'Bearer');
    if (reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    sayRetryAfter(reply, failure);
    await this.send(request, reply, failure);
  }
}

export function sayRetryAfter(reply: FastifyReply, { retryAfterSeconds }: DomainError): void {
  if (retryAfterSeconds !== undefined)
    void reply.header('Retry-After', String(Math.max(1, Math.ceil(retryAfterSeconds))));
}
