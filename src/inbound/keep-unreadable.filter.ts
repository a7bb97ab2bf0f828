import { type ArgumentsHost, Catch } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AllowedMethods, failureOf, ProblemFilter, Refusals } from '../platform/http/index.js';
import type { Store } from '../stores/index.js';
import { MessagesService } from './sms/messages.service.js';

type PhoneRequest = FastifyRequest & { readonly store?: Store };

/**
 * A body of a known phone that cannot be read is answered 400 as any bad input, and kept all the same: what a phone
 * sends is never lost (contract 6.31). Kept before the answer, so that a phone that gives up has been heard.
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
    const request = host.switchToHttp().getRequest<PhoneRequest>();
    const { rawBody } = request;
    if (failureOf(error).status !== 400 || rawBody === undefined || rawBody === '') {
      super.catch(error, host);
      return;
    }
    void this.keepFirst(request, rawBody, error, host);
  }

  private async keepFirst(
    { store }: PhoneRequest,
    rawBody: string,
    error: unknown,
    host: ArgumentsHost,
  ): Promise<void> {
    let answer = error;
    try {
      if (store !== undefined) await this.messages.keepUnreadable(store, rawBody);
    } catch (failure) {
      answer = failure;
    }
    super.catch(answer, host);
  }
}
