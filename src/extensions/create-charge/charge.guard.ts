import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Store, StoreSecrets } from '../../stores/index.js';
import { credentialRequired } from '../../platform/http/index.js';

/**
 * Headers in which these clients send the store's API key; existing modules look for it under the same name in our
 * call.
 */
export const API_KEY_HEADERS = ['mh-piprapay-api-key', 'mhs-piprapay-api-key'] as const;

type ChargeRequest = FastifyRequest & { caller?: ChargeCaller };

/** The caller, and the header in which the key came. */
export interface ChargeCaller {
  readonly store: Store;
  readonly apiKeyHeader: string;
}

/** Lets in who sends the API key of a store under one of `API_KEY_HEADERS`. */
@Injectable()
export class ChargeGuard implements CanActivate {
  constructor(private readonly secrets: StoreSecrets) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ChargeRequest>();
    for (const apiKeyHeader of API_KEY_HEADERS) {
      const key = request.headers[apiKeyHeader];
      const store = typeof key === 'string' ? await this.secrets.findStore('api_key', key) : null;
      if (store === null) continue;
      request.caller = { store, apiKeyHeader };
      return true;
    }
    throw credentialRequired.saying('A valid API key is required.', { challenge: 'ApiKey' });
  }
}

export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): ChargeCaller => {
    const { caller } = context.switchToHttp().getRequest<ChargeRequest>();
    if (caller === undefined) throw new Error('CurrentCaller needs ChargeGuard.');
    return caller;
  },
);
