import { type ArgumentsHost, Catch } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AllowedMethods, failureOf, ProblemFilter, Refusals } from '../platform/http/index.js';
import type { Store, StoreAdmission } from '../stores/index.js';
import { MessagesService } from './sms/messages.service.js';

type PhoneRequest = FastifyRequest & { readonly store?: Store; readonly admission?: StoreAdmission };

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
      void super.catch(error, host);
      return;
    }
    void this.keepFirst(request, rawBody, error, host);
  }

  private async keepFirst(
    { store, admission }: PhoneRequest,
    rawBody: string,
    error: unknown,
    host: ArgumentsHost,
  ): Promise<void> {
    let answer = error;
    try {
      // Nothing is kept for a phone whose secret is not in force any longer.
      const known = store ?? (await admission?.confirm())?.store;
      if (known !== undefined) await this.messages.keepUnreadable(known, rawBody);
    } catch (failure) {
      answer = failure;
    }
    void super.catch(answer, host);
  }
}
