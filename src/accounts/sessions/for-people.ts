import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { ApiBearerAuth, ApiProblem } from '../../platform/http/index.js';
import type { Person, Restriction, Role } from '../users/person.js';
import { DESPITE_METADATA, PersonGuard, type PersonRequest, ROLES_METADATA } from './person.guard.js';

/** Codes of every 403 to somebody who is signed in. A route that names one of its own names these, too. */
export const PEOPLE_FORBIDDEN = [
  'auth.forbidden',
  'auth.last_admin',
  'auth.password_change_required',
  'auth.second_factor_setup_required',
];

/**
 * For people who are signed in (contract 2.8): `Authorization: Bearer`, else 401 `auth.required`. With roles given, for
 * these alone, else 403 `auth.forbidden`. On a method it takes the place of the one on its class.
 */
export function ForPeople(...roles: Role[]): ClassDecorator & MethodDecorator {
  return applyDecorators(
    SetMetadata(ROLES_METADATA, roles),
    UseGuards(PersonGuard),
    ApiBearerAuth('person'),
    ApiProblem(401, 403, ...PEOPLE_FORBIDDEN),
  );
}

/** May be used by somebody who has to change their password, or to set up a second factor, before anything else. */
export function Despite(...restrictions: Restriction[]): ClassDecorator & MethodDecorator {
  return SetMetadata(DESPITE_METADATA, restrictions);
}

/** The person behind a request to something that is `@ForPeople()`. */
export const CurrentPerson = createParamDecorator((_data: unknown, context: ExecutionContext): Person => {
  const { user } = context.switchToHttp().getRequest<PersonRequest>();
  if (user === undefined) throw new Error('CurrentPerson needs ForPeople.');
  return user;
});

/** The id of the sign-in behind a request to something that is `@ForPeople()`. */
export const CurrentSessionId = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const { sessionId } = context.switchToHttp().getRequest<PersonRequest>();
  if (sessionId === undefined) throw new Error('CurrentSessionId needs ForPeople.');
  return sessionId;
});
