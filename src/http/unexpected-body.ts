import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { escapePointer } from '../kernel/text.js';
import { refusePlaces } from './refuse-places.js';
import { UNKNOWN_FIELD } from './validation.js';

/**
 * Refuses fields where a route takes no body, as unknown fields are refused everywhere else (decisions §1): who sends a reason
 * to a route that has none should hear of it. An empty object and null are nothing: many clients send one with every POST.
 */
@Injectable()
export class UnexpectedBody implements NestInterceptor {
  private readonly takesBody = new WeakMap<object, boolean>();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (body != null && !this.isWanted(context)) refuse(body);
    return next.handle();
  }

  private isWanted(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    let wanted = this.takesBody.get(handler);
    if (wanted === undefined) {
      wanted = hasBodyParameter(context.getClass(), handler.name);
      this.takesBody.set(handler, wanted);
    }
    return wanted;
  }
}

function hasBodyParameter(controller: Type, handlerName: string): boolean {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handlerName) as object | undefined;
  return Object.keys(parameters ?? {}).some((key) => key.startsWith(`${RouteParamtypes.BODY}:`));
}

function refuse(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return refusePlaces([''], 'must be left out: this address takes no body');
  }
  refusePlaces(
    Object.keys(body).map((field) => `/${escapePointer(field)}`),
    UNKNOWN_FIELD,
  );
}
