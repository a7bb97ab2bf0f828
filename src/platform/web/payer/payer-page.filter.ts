import { Catch } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DomainError } from '../../../kernel/domain-error.js';
import type { Refusals } from '../../http/index.js';
import { PageFilter } from '../page.filter.js';

export type PayerMessage = 'not_found' | 'unavailable' | 'busy';

/** The pages of a feature that can say that something is not there, or not just now. */
export interface MessagePages {
  sendMessage(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    message: PayerMessage,
  ): Promise<void>;
}

/** A payer gets a page in their language, not a problem document. */
@Catch()
export abstract class PayerPageFilter extends PageFilter {
  constructor(
    private readonly pages: MessagePages,
    refusals: Refusals,
  ) {
    super(refusals);
  }

  protected send(request: FastifyRequest, reply: FastifyReply, { status }: DomainError): Promise<void> {
    const message = status === 404 ? 'not_found' : status === 429 ? 'busy' : 'unavailable';
    return this.pages.sendMessage(request, reply, status, message);
  }
}
