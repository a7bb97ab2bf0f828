import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import { ApiProblem, credentialRequired, forbidden } from '../../platform/http/index.js';
import type { User, Restriction, Role } from '../users/user.js';
import { DESPITE_METADATA, UserGuard, type UserRequest, ROLES_METADATA } from './user.guard.js';
import { lastAdminDemoted, passwordChangeRequired, secondFactorSetupRequired } from '../accounts.problems.js';
import { type Caller } from '../users/user.js';

/** Every 403 to somebody who is signed in. A route that documents one of its own documents these, too. */
export const USERS_FORBIDDEN = [
  forbidden,
  lastAdminDemoted,
  passwordChangeRequired,
  secondFactorSetupRequired,
];

/**
 * For users who are signed in (contract 2.8): `Authorization: Bearer`, else 401 `auth.required`. With roles given, for
 * these alone, else 403 `auth.forbidden`. On a method it takes the place of the one on its class.
 */
export function ForUsers(...roles: Role[]): ClassDecorator & MethodDecorator {
  return applyDecorators(
    SetMetadata(ROLES_METADATA, roles),
    UseGuards(UserGuard),
    ApiBearerAuth('person'),
    ApiProblem(credentialRequired, ...USERS_FORBIDDEN),
  );
}

/** May be used by somebody who has to change their password, or to set up a second factor, before anything else. */
export function Despite(...restrictions: Restriction[]): ClassDecorator & MethodDecorator {
  return SetMetadata(DESPITE_METADATA, restrictions);
}

/** The user behind a request to something that is `@ForUsers()`. */
export const CurrentUser = createParamDecorator((_data: unknown, context: ExecutionContext): User => {
  const { user } = context.switchToHttp().getRequest<UserRequest>();
  if (user === undefined) throw new Error('CurrentUser needs ForUsers.');
  return user;
});

/** That user, and the address they ask from. */
export const CurrentCaller = createParamDecorator((_data: unknown, context: ExecutionContext): Caller => {
  const { user, ip: address } = context.switchToHttp().getRequest<UserRequest>();
  if (user === undefined) throw new Error('CurrentCaller needs ForUsers.');
  return { user, address };
});

/** The user who asks, if it is one: null for a store's API key. */
export const CallerIfUser = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller | null => {
    const { user, ip: address } = context.switchToHttp().getRequest<UserRequest>();
    return user === undefined ? null : { user, address };
  },
);

/** The id of the sign-in behind a request to something that is `@ForUsers()`. */
export const CurrentSessionId = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const { sessionId } = context.switchToHttp().getRequest<UserRequest>();
  if (sessionId === undefined) throw new Error('CurrentSessionId needs ForUsers.');
  return sessionId;
});
