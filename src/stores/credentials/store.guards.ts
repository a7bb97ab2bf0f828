import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { ForUsers, type User } from '../../accounts/index.js';
import { ApiExtension, ApiParam, ApiSecurity } from '@nestjs/swagger';
import { ApiProblem, credentialRequired } from '../../platform/http/index.js';
import { isId } from '../../kernel/ids.js';
import type { Challenge } from '../../kernel/domain-error.js';
import { CHALLENGES, credentialRefused } from './store-credential.js';
import { StoreKeyStrategy, StorePhoneStrategy } from './store-secret.strategies.js';
import type { Store } from '../store.js';
import type { StoreRole } from '../store-role.js';
import { storeNotFound } from '../stores.problems.js';
import { StoresService } from '../stores.service.js';

/** Metadata of `@NeedsRole()`. */
const ROLE_METADATA = 'joma:store-role';

type StoreRequest = FastifyRequest & { store?: Store; user?: User };

/** The name under which Passport knows a strategy of this application. */
interface Registered {
  readonly registeredAs: string;
}

/**
 * The guard for a secret in a header: looked up with every request, so that a replaced one is dead at once (contract
 * 2.7). Its 401 never says which part was wrong (contract 1.36), only which credential is asked for; what went wrong on
 * our side stays what it is.
 */
function secretGuard(challenge: Challenge) {
  return class extends AuthGuard() {
    constructor(strategy: Registered) {
      super({ defaultStrategy: strategy.registeredAs, property: 'store', session: false });
    }

    override handleRequest<Found>(error: unknown, found: Found | false): Found {
      if (error instanceof Error) throw error;
      if (!found) throw credentialRefused(challenge);
      return found;
    }
  };
}

@Injectable()
export class StoreKeyGuard extends secretGuard(CHALLENGES.api_key) {
  constructor(strategy: StoreKeyStrategy) {
    super(strategy);
  }
}

@Injectable()
export class StorePhoneGuard extends secretGuard(CHALLENGES.webhook_secret) {
  constructor(strategy: StorePhoneStrategy) {
    super(strategy);
  }
}

/** Resolves `:storeId` to a store the user may see; everybody else's store is a 404, as if it were not there. */
@Injectable()
export class StoreAccessGuard implements CanActivate {
  constructor(
    private readonly stores: StoresService,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<StoreRequest>();
    const { storeId } = request.params as { storeId?: string };
    if (request.user === undefined || !isId(storeId)) throw storeNotFound();
    request.store = await this.stores.getFor(request.user, storeId, this.leastOf(context, request.method));
    return true;
  }

  /**
   * A route without a declared role can be read by viewers; every other one is the owner's until somebody has
   * decided.
   */
  private leastOf(context: ExecutionContext, method: string): StoreRole {
    const least = this.reflector.get<StoreRole | undefined>(ROLE_METADATA, context.getHandler());
    return least ?? (method === 'GET' || method === 'HEAD' ? 'viewer' : 'owner');
  }
}

/** For a merchant's backend: `X-Api-Key` (contract 2.1). */
export function ForStoreKey(): ClassDecorator & MethodDecorator {
  return applyDecorators(UseGuards(StoreKeyGuard), ApiSecurity('apiKey'), ApiProblem(credentialRequired));
}

/** For the store's phone: `X-Webhook-Secret` (contract 2.1). */
export function ForStorePhone(): ClassDecorator & MethodDecorator {
  return applyDecorators(
    UseGuards(StorePhoneGuard),
    ApiSecurity('webhookSecret'),
    ApiProblem(credentialRequired),
  );
}

/**
 * For users of the store named by `:storeId`: its owner, its members and admins (contract 2.8 and 15.1); 404 for
 * everybody else. A route that changes something says with `@NeedsRole` from which role on; one that does not is the
 * owner's.
 */
export function ForStoreUsers(): ClassDecorator & MethodDecorator {
  return applyDecorators(ForUsers(), UseGuards(StoreAccessGuard), ApiProblem(storeNotFound));
}

/**
 * The least role that may, on a route that is `@ForStoreUsers()`, else 403 `auth.role_required`; in the document,
 * too.
 */
export function NeedsRole(least: StoreRole): MethodDecorator {
  return applyDecorators(SetMetadata(ROLE_METADATA, least), ApiExtension('x-store-role', least));
}

/** Further decorators of the routes that two controllers mount: of each one, and of those that change something. */
export interface RouteDecorators {
  readonly each?: readonly MethodDecorator[];
  readonly changing?: readonly MethodDecorator[];
}

/** Those of a mount under `stores/:storeId` for its users. */
export const UNDER_A_STORE: RouteDecorators = {
  each: [ApiParam({ name: 'storeId', format: 'uuid', description: 'Id of the store.' })],
  changing: [NeedsRole('reviewer')],
};

/** The store that the request's guard found. */
export const CurrentStore = createParamDecorator((_data: unknown, context: ExecutionContext): Store => {
  const { store } = context.switchToHttp().getRequest<StoreRequest>();
  if (store === undefined) throw new Error('CurrentStore needs ForStoreKey, ForStorePhone or ForStoreUsers.');
  return store;
});
