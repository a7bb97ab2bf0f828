import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessTokens } from './access-tokens.js';
import {
  credentialRequired,
  forbidden,
  passwordChangeRequired,
  secondFactorSetupRequired,
} from '../accounts.problems.js';
import type { User, Restriction, Role } from '../users/user.js';

/** Metadata of `@ForUsers()`: the roles that may; none means everybody who is signed in. */
export const ROLES_METADATA = 'joma:roles';

/** Metadata of `@Despite()`: the restrictions under which it may be used all the same. */
export const DESPITE_METADATA = 'joma:despite';

/** A request behind `PersonGuard`. `user` is where Passport puts the caller, and where others look for them. */
export type UserRequest = FastifyRequest & { user?: User; sessionId?: string };

/** Lets in who carries a valid access token and has one of the roles. Used through `@ForUsers()`. */
@Injectable()
export class UserGuard implements CanActivate {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<UserRequest>();
    const signedIn = await this.accessTokens.authenticate(request, http.getResponse<FastifyReply>());
    if (signedIn === null) throw credentialRequired();
    this.refuseIfRestricted(context, signedIn.restriction);
    const roles = this.reflector.getAllAndOverride<readonly Role[] | undefined>(ROLES_METADATA, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (roles !== undefined && roles.length > 0 && !roles.includes(signedIn.user.role)) throw forbidden();
    request.user = signedIn.user;
    request.sessionId = signedIn.sessionId;
    return true;
  }

  private refuseIfRestricted(context: ExecutionContext, restriction: Restriction | null): void {
    if (restriction === null) return;
    const despite = this.reflector.getAllAndOverride<readonly Restriction[] | undefined>(DESPITE_METADATA, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (despite?.includes(restriction) === true) return;
    throw restriction === 'password_change' ? passwordChangeRequired() : secondFactorSetupRequired();
  }
}
