import { type ArgumentsHost, Catch } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AllowedMethods, failureOf, ProblemFilter, Refusals } from '../http/index.js';
import type { Store } from '../stores/index.js';
import { MessagesService } from './sms/messages.service.js';

/**
 * A body of a known phone that cannot be read is answered 400 as any bad input, and kept all the same: what a phone sends is
 * never lost (decisions §6). Kept before the answer, so that a phone that gives up has been heard.
 */
@Catch()
export class KeepUnreadableFilter extends ProblemFilter {
  constructor(
    private readonly messages: MessagesService,
    refusals: Refusals,
  ) {
    super(new AllowedMethods(), refusals);
  }

  override catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest & { store?: Store }>();
    const { store, rawBody } = request;
    if (failureOf(error).status !== 400 || store === undefined || rawBody === undefined || rawBody === '') {
      void super.catch(error, host);
      return;
    }
    void this.keepFirst(store, rawBody, error, host);
  }

  private async keepFirst(store: Store, rawBody: string, error: unknown, host: ArgumentsHost): Promise<void> {
    const answer = await this.messages.keepUnreadable(store, rawBody).then(
      () => error,
      (failure: unknown) => failure,
    );
    void super.catch(answer, host);
  }
}
