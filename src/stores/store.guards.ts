import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { ApiSecurity } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ForPeople, type Person } from '../accounts/index.js';
import { ApiProblem } from '../http/index.js';
import { isId } from '../kernel/ids.js';
import { type Challenge, DomainError } from '../kernel/domain-error.js';
import { StoreKeyStrategy, StorePhoneStrategy } from './store-secret.strategies.js';
import type { Store } from './store.js';
import { storeNotFound } from './stores.errors.js';
import { StoresService } from './stores.service.js';

type StoreRequest = FastifyRequest & { store?: Store; user?: Person };

/**
 * 401 that never says which part was wrong (decisions §1), only which credential is asked for; what went wrong on our side
 * stays what it is.
 */
function storeOrRefuse<Found>(error: unknown, store: Found | false, challenge: Challenge): Found {
  if (error instanceof Error) throw error;
  if (!store) {
    throw new DomainError('unauthenticated', 'auth.required', 'A valid credential is required.', {
      challenge,
    });
  }
  return store;
}

@Injectable()
export class StoreKeyGuard extends AuthGuard() {
  constructor(strategy: StoreKeyStrategy) {
    super({ defaultStrategy: strategy.registeredAs, property: 'store', session: false });
  }

  override handleRequest<Found>(error: unknown, store: Found | false): Found {
    return storeOrRefuse(error, store, 'ApiKey');
  }
}

@Injectable()
export class StorePhoneGuard extends AuthGuard() {
  constructor(strategy: StorePhoneStrategy) {
    super({ defaultStrategy: strategy.registeredAs, property: 'store', session: false });
  }

  override handleRequest<Found>(error: unknown, store: Found | false): Found {
    return storeOrRefuse(error, store, 'WebhookSecret');
  }
}

/** Resolves `:storeId` to a store the person may see; everybody else's store is a 404, as if it were not there. */
@Injectable()
export class StoreAccessGuard implements CanActivate {
  constructor(private readonly stores: StoresService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<StoreRequest>();
    const { storeId } = request.params as { storeId?: string };
    if (request.user === undefined || !isId(storeId)) throw storeNotFound();
    request.store = await this.stores.getFor(request.user, storeId);
    return true;
  }
}

/** For a merchant's backend: `X-Api-Key` (decisions §2). */
export function ForStoreKey(): ClassDecorator & MethodDecorator {
  return applyDecorators(UseGuards(StoreKeyGuard), ApiSecurity('apiKey'), ApiProblem(401));
}

/** For the store's phone: `X-Webhook-Secret` (decisions §2). */
export function ForStorePhone(): ClassDecorator & MethodDecorator {
  return applyDecorators(UseGuards(StorePhoneGuard), ApiSecurity('webhookSecret'), ApiProblem(401));
}

/** For people who may see the store named by `:storeId`: its owner, and admins (decisions §2). */
export function ForStorePeople(): ClassDecorator & MethodDecorator {
  return applyDecorators(ForPeople(), UseGuards(StoreAccessGuard), ApiProblem(404, 'store.not_found'));
}

/** The store that the request's guard found. */
export const CurrentStore = createParamDecorator((_data: unknown, context: ExecutionContext): Store => {
  const { store } = context.switchToHttp().getRequest<StoreRequest>();
  if (store === undefined)
    throw new Error('CurrentStore needs ForStoreKey, ForStorePhone or ForStorePeople.');
  return store;
});
