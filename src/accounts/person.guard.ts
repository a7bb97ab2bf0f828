import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessTokens } from './access-tokens.js';
import { credentialRequired, forbiddenForRole } from './accounts.errors.js';
import type { Person, Role } from './person.js';

/** Metadata of `@ForPeople()`: the roles that may; none means everybody who is signed in. */
export const ROLES_METADATA = 'joma:roles';

/** A request behind `PersonGuard`. `user` is where Passport puts the caller, and where others look for them. */
export type PersonRequest = FastifyRequest & { user?: Person; sessionId?: string };

/** Lets in who carries a valid access token and has one of the roles. Used through `@ForPeople()`. */
@Injectable()
export class PersonGuard implements CanActivate {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<PersonRequest>();
    const signedIn = await this.accessTokens.authenticate(request, http.getResponse<FastifyReply>());
    if (signedIn === null) throw credentialRequired();
    const roles = this.reflector.getAllAndOverride<readonly Role[] | undefined>(ROLES_METADATA, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (roles !== undefined && roles.length > 0 && !roles.includes(signedIn.person.role))
      throw forbiddenForRole();
    request.user = signedIn.person;
    request.sessionId = signedIn.sessionId;
    return true;
  }
}
