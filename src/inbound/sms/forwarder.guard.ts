import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiQuery, ApiSecurity } from '@nestjs/swagger';
import { ApiProblem, credentialRequired, readBodyBytes } from '../../platform/http/index.js';
import { Clock } from '../../kernel/clock.js';
import { isId } from '../../kernel/ids.js';
import { credentialRefused, type Store, StoreSecrets } from '../../stores/index.js';
import { isSignedWith, signatureOf } from './forwarder-signature.js';

/** Secrets of ours are shorter; what is longer is not looked up. */
const MAX_SECRET_CHARACTERS = 128;

/**
 * Knows the store of a forwarded SMS: by `X-Webhook-Secret`; where an app cannot send a header, by what it signs with
 * the secret; as a last resort by the secret in the address (contract 6.4). Addresses are logged without their query.
 */
@Injectable()
export class ForwarderGuard implements CanActivate {
  constructor(
    private readonly secrets: StoreSecrets,
    private readonly clock: Clock,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest & { store?: Store }>();
    const store = await this.storeOf(request, http.getResponse<FastifyReply>());
    if (store === null) throw credentialRefused('WebhookSecret');
    request.store = store;
    return true;
  }

  private async storeOf(request: FastifyRequest, reply: FastifyReply): Promise<Store | null> {
    const query = request.query as Readonly<Record<string, unknown>>;
    const storeId = typeof query['store'] === 'string' ? query['store'].toLowerCase() : null;
    const header = request.headers['x-webhook-secret'];
    if (header !== undefined) return this.bySecret(header, null);
    if (query['token'] !== undefined) return this.bySecret(query['token'], storeId);
    return storeId === null ? null : this.bySignature(request, reply, storeId);
  }

  private async bySecret(secret: unknown, storeId: string | null): Promise<Store | null> {
    if (typeof secret !== 'string' || secret === '' || secret.length > MAX_SECRET_CHARACTERS) return null;
    const store = await this.secrets.findStore('webhook_secret', secret);
    return store !== null && (storeId === null || store.id === storeId) ? store : null;
  }

  /** The body is read only for somebody who has something like a signature for a store that is there. */
  private async bySignature(
    request: FastifyRequest,
    reply: FastifyReply,
    storeId: string,
  ): Promise<Store | null> {
    const signature = signatureOf(request.headers);
    if (signature === null || !isId(storeId)) return null;
    const signer = await this.secrets.findSigner(storeId);
    if (signer === null) return null;
    const body = await readBodyBytes(request, reply);
    const path = request.url.split('?', 1)[0] ?? '';
    const contentType = request.headers['content-type'];
    const signed = { body, contentType, storeId, path, now: this.clock.now() };
    return (await isSignedWith(signer.webhookSecret, signature, signed)) ? signer.store : null;
  }
}

/** For SMS forwarder apps: the webhook secret, or what an app signs with it (contract 6.4). */
export function ForStoreForwarder(): ClassDecorator & MethodDecorator {
  return applyDecorators(
    UseGuards(ForwarderGuard),
    ApiSecurity('webhookSecret'),
    ApiQuery({
      name: 'store',
      required: false,
      description:
        'Id of the store, for apps that sign instead of sending the secret: `X-Signature` with or without `X-Timestamp`, or a Bearer token.',
      schema: { type: 'string', format: 'uuid' },
    }),
    ApiQuery({
      name: 'token',
      required: false,
      description:
        'The webhook secret itself, for apps that can do nothing else. Never logged here; proxies may.',
      schema: { type: 'string' },
    }),
    ApiProblem(credentialRequired),
  );
}
