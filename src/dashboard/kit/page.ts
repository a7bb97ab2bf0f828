import {
  applyDecorators,
  Body,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  Post,
  Res,
  SetMetadata,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { FormBody, UploadBody } from '../../platform/http/index.js';
import { DashboardFilter } from './dashboard.filter.js';
import { DashboardGuard } from '../dashboard.guard.js';
import { PageAnswers } from './page-answers.js';
import {
  ACTION_METADATA,
  type ActionDefinition,
  PAGE_METADATA,
  type PageDefinition,
} from './page-definition.js';
import type { Visit, VisitRequest } from './visit.js';

const PREFIXES: Readonly<Record<PageDefinition['scope'], string>> = {
  public: 'dashboard',
  user: 'dashboard',
  admin: 'dashboard',
  store: 'dashboard/stores/:storeId',
};

/** Makes a class a page of the dashboard: guarded, answered in the dashboard's layout, and in its navigation. */
export function DashboardPage(definition: PageDefinition): ClassDecorator {
  const path = [PREFIXES[definition.scope], definition.path].filter((part) => part !== '').join('/');
  return applyDecorators(
    Controller(path),
    SetMetadata(PAGE_METADATA, definition),
    UseGuards(DashboardGuard),
    UseInterceptors(PageAnswers),
    UseFilters(DashboardFilter),
    ApiExcludeController(),
  );
}

/** A method that shows something, and changes nothing. It is given the visit. */
export function PageView(path = ''): MethodDecorator {
  return (target, key, descriptor) => {
    CurrentVisit()(target, key, 0);
    // Says to Nest that the answer is sent by us: `PageAnswers` decides on its status.
    Res()(target, key, 1);
    return applyDecorators(Get(path))(target, key, descriptor);
  };
}

/** How long the file of a form may take to arrive, in milliseconds (contract 1.14). */
const UPLOAD_TIMEOUT_MS = 120_000;

/** A method that changes something: a POST of a form with an anti-forgery token. It is given the visit. */
export function PageAction(path = '', definition: ActionDefinition = {}): MethodDecorator {
  return (target, key, descriptor) => {
    CurrentVisit()(target, key, 0);
    Res()(target, key, 1);
    Body()(target, key, 2);
    const body =
      definition.upload === undefined
        ? FormBody({ json: false })
        : UploadBody({
            types: ['multipart/form-data'],
            timeoutMs: UPLOAD_TIMEOUT_MS,
            form: true,
            ...definition.upload,
          });
    return applyDecorators(Post(path), body, SetMetadata(ACTION_METADATA, definition))(
      target,
      key,
      descriptor,
    );
  };
}

const CurrentVisit = createParamDecorator((_data: unknown, context: ExecutionContext): Visit => {
  const { visit } = context.switchToHttp().getRequest<VisitRequest>();
  if (visit === undefined) throw new Error('A page needs the guard of the dashboard.');
  return visit;
});
