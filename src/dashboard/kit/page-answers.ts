import { Readable } from 'node:stream';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { firstValueFrom, type Observable, of } from 'rxjs';
import { ServiceSettings } from '../../platform/config/index.js';
import { failureOf, readUpload, Refusals } from '../../platform/http/index.js';
import { rememberLanguage, sendPage } from '../../platform/web/send-page.js';
import { foreignForm } from './dashboard.problems.js';
import { FormTokens } from './form-tokens.js';
import { CONFIRM_FIELD, TOKEN_FIELD } from './forms.js';
import { renderConfirmation } from './confirmation.js';
import { DashboardLayout } from './layout.js';
import { ACTION_METADATA, type ActionDefinition, type PageAnswer } from './page-definition.js';
import type { Visit, VisitRequest } from './visit.js';
import { sayRetryAfter } from '../../platform/web/page.filter.js';
import { refusalText } from './words.js';

/** Takes what a page's method answers to the browser; sees to tokens, confirmations, and what was refused. */
@Injectable()
export class PageAnswers implements NestInterceptor {
  private readonly secure: boolean;

  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: FormTokens,
    private readonly layout: DashboardLayout,
    private readonly refusals: Refusals,
    settings: ServiceSettings,
  ) {
    this.secure = settings.publicUrl.startsWith('https:');
  }

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { visit } = context.switchToHttp().getRequest<VisitRequest>();
    if (visit === undefined) throw new Error('A page needs the guard of the dashboard.');
    rememberLanguage(visit.request, visit.reply, this.secure);
    const action = this.reflector.get<ActionDefinition | undefined>(ACTION_METADATA, context.getHandler());
    const answer =
      action === undefined
        ? ((await firstValueFrom(next.handle())) as PageAnswer)
        : await this.act(context, next, visit, action);
    await this.send(visit, answer);
    return of(undefined);
  }

  private async act(
    context: ExecutionContext,
    next: CallHandler,
    visit: Visit,
    action: ActionDefinition,
  ): Promise<PageAnswer> {
    // A plain form brings no file: its token, or the lack of one, is looked at as any other's.
    if (action.upload !== undefined && visit.request.body instanceof Readable) {
      const { fields, file } = await readUpload(visit.request);
      visit.request.body = fields;
      visit.file = file;
    }
    if (!this.tokens.fits(visit.field(TOKEN_FIELD), visit.formToken)) throw foreignForm();
    if (action.confirm !== undefined && visit.field(CONFIRM_FIELD) === '') {
      return renderConfirmation(visit, action.confirm);
    }
    try {
      return (await firstValueFrom(next.handle())) as PageAnswer;
    } catch (error) {
      return this.showRefusal(context, visit, action, error);
    }
  }

  /** The page again with what was typed, and what was wrong with it. */
  private async showRefusal(
    context: ExecutionContext,
    visit: Visit,
    { refusedTo, findsTyped }: ActionDefinition,
    error: unknown,
  ): Promise<PageAnswer> {
    const failure = failureOf(error);
    if (refusedTo === undefined || failure.status >= 500) throw error;
    if (failure.status === 404 && findsTyped !== true) throw error;
    sayRetryAfter(visit.reply, failure);
    const fields = new Map((failure.errors ?? []).map(({ pointer, detail }) => [pointer.slice(1), detail]));
    visit.refusal = {
      status: failure.status,
      code: failure.code,
      text: refusalText(failure, visit.language),
      fields,
    };
    const page = this.pageOf(context);
    const show = page[refusedTo];
    if (show === undefined) throw error;
    // A failure that is not shown here is counted by the filter.
    this.refusals.see(visit.request, failure, 'Bearer');
    const shown = await show.call(page, visit);
    return shown === 'sent' || 'goTo' in shown ? shown : { ...shown, status: failure.status };
  }

  private pageOf(
    context: ExecutionContext,
  ): Record<string, ((visit: Visit) => Promise<PageAnswer>) | undefined> {
    const page: unknown = this.layout.instanceOf(context.getClass());
    return page as Record<string, ((visit: Visit) => Promise<PageAnswer>) | undefined>;
  }

  private async send(visit: Visit, answer: PageAnswer): Promise<void> {
    if (answer === 'sent') return;
    if ('goTo' in answer) {
      void visit.reply.status(303).header('Location', answer.goTo).header('Cache-Control', 'no-store').send();
      return;
    }
    await sendPage(visit.request, visit.reply, answer.status ?? 200, this.layout.render(visit, answer));
  }
}
