import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { type BrowserSession, DashboardSessions, type Restriction } from '../accounts/index.js';
import { ServiceSettings } from '../platform/config/index.js';
import { DomainError } from '../kernel/domain-error.js';
import { isId } from '../kernel/ids.js';
import { isAtLeast, roleRequired, storeNotFound, StoresService } from '../stores/index.js';
import { languageFor } from '../platform/web/send-page.js';
import { AccountFirst, foreignForm, SignInRequired } from './kit/dashboard.problems.js';
import {
  cookie,
  cookieOf,
  FormTokens,
  isFromHere,
  SESSION_COOKIE,
  VISITOR_COOKIE,
} from './kit/form-tokens.js';
import {
  ACTION_METADATA,
  type ActionDefinition,
  PAGE_METADATA,
  type PageDefinition,
} from './kit/page-definition.js';
import { Visit, type VisitRequest } from './kit/visit.js';
import { notFound } from '../platform/http/index.js';

/**
 * Lets in who may see a page, and finds out all that a page needs to know of the request (contract 10.31 and 15.11),
 * before any of its body is read: a foreign form is a 403, no sign-in leads to it, somebody else's store is a 404.
 */
@Injectable()
export class DashboardGuard implements CanActivate {
  private readonly secure: boolean;

  constructor(
    private readonly reflector: Reflector,
    private readonly sessions: DashboardSessions,
    private readonly stores: StoresService,
    private readonly tokens: FormTokens,
    private readonly settings: ServiceSettings,
  ) {
    this.secure = settings.publicUrl.startsWith('https:');
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<VisitRequest>();
    const reply = http.getResponse<FastifyReply>();
    const page = this.reflector.get<PageDefinition>(PAGE_METADATA, context.getClass());
    const action = this.reflector.get<ActionDefinition | undefined>(ACTION_METADATA, context.getHandler());
    const token = cookieOf(request, SESSION_COOKIE);
    const session = token === null ? null : await this.sessions.find(token);
    const language = languageFor(request);
    const visitOf = (store: Visit['storeFound']) =>
      new Visit(
        ...([request, reply, page, language, this.formToken(request, reply, session), session] as const),
        this.settings.storeTimeZone,
        store,
      );
    // Set first without a store: whatever is refused from here on is said in the user's layout.
    request.visit = visitOf(null);
    if (action !== undefined && !isFromHere(request)) throw foreignForm();
    if (page.scope === 'public') return true;
    if (session === null) throw new SignInRequired();
    if (!isOpenDespite(session.restriction, page)) throw new AccountFirst();
    if (page.scope === 'admin' && session.user.role !== 'admin') throw notThere();
    if (page.scope === 'store') {
      const found = await this.storeOf(request, session);
      request.visit = visitOf(found);
      const least = action?.role ?? page.role ?? 'viewer';
      if (!isAtLeast(found.role, least)) throw roleRequired(least);
    }
    return true;
  }

  private formToken(request: VisitRequest, reply: FastifyReply, session: BrowserSession | null): string {
    if (session !== null) return this.tokens.issue(session.sessionId);
    const known = cookieOf(request, VISITOR_COOKIE);
    const visitor = known ?? this.tokens.newVisitor();
    if (known === null)
      void reply.header('Set-Cookie', cookie(VISITOR_COOKIE, visitor, { secure: this.secure }));
    return this.tokens.issue(visitor);
  }

  private async storeOf(
    request: VisitRequest,
    { user }: BrowserSession,
  ): Promise<NonNullable<Visit['storeFound']>> {
    const { storeId } = request.params as { storeId?: string };
    if (!isId(storeId)) throw storeNotFound();
    const store = await this.stores.getFor(user, storeId.toLowerCase());
    const role = await this.stores.roleOf(user, store);
    if (role === null) throw storeNotFound();
    return { store, role };
  }
}

/** The pages that stay open to a user under a restriction (contract 14.11 and 14.18), as in the API. */
function isOpenDespite(restriction: Restriction | null, { scope, path }: PageDefinition): boolean {
  if (restriction === null) return true;
  if (scope !== 'user') return false;
  return path === 'account' || (path === 'account/second-factor' && restriction === 'second_factor_setup');
}

function notThere(): DomainError {
  return notFound();
}
