import { isAtLeast, type Store, type StoreRole } from '../../stores/index.js';
import type { Type } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import type { BrowserSession, Caller, User } from '../../accounts/index.js';
import { notFound, PageQuery, strictValidation } from '../../platform/http/index.js';
import { isId } from '../../kernel/ids.js';
import type { Markup } from '../../platform/web/html.js';
import { formatAmount, localDigits } from '../../platform/web/numerals.js';
import type { Language } from '../../platform/web/language.js';
import { formatInstant } from '../../platform/web/local-time.js';
import type { InBothLanguages, PageDefinition } from './page-definition.js';

export type VisitRequest = FastifyRequest & { visit?: Visit };

/** Why an action was refused, while its page is shown again. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly text: string;
  /** The message at a field, by the field's name in the body: `amount`, `wallets/0/number`. */
  readonly fields: ReadonlyMap<string, string>;
}

const VALIDATION = strictValidation();

/** One request to a page: who asks, for which store, in which language, and what they typed. */
export class Visit {
  /** Set while a page is shown again because an action was refused. */
  refusal: Refusal | null = null;
  /** The file that was sent to an action with `upload`, unread. */
  file: Readable | null = null;

  constructor(
    readonly request: FastifyRequest,
    readonly reply: FastifyReply,
    readonly page: PageDefinition,
    readonly language: Language,
    /** Stands in every form. */
    readonly formToken: string,
    readonly session: BrowserSession | null,
    /** The time zone and calendar of pages (`STORE_TIME_ZONE`). */
    readonly timeZone: string,
    readonly storeFound: { readonly store: Store; readonly role: StoreRole } | null,
  ) {}

  get user(): User {
    if (this.session === null) throw new Error('A page without sign-in has no user.');
    return this.session.user;
  }

  get caller(): Caller {
    return { user: this.user, address: this.request.ip };
  }

  get store(): Store {
    if (this.storeFound === null) throw new Error('This is no page of a store.');
    return this.storeFound.store;
  }

  get role(): StoreRole | null {
    return this.storeFound?.role ?? null;
  }

  /** Whether this user may do what takes at least this role in the store of the page. */
  may(least: StoreRole): boolean {
    return this.storeFound !== null && isAtLeast(this.storeFound.role, least);
  }

  /** Path of a page of this store. */
  inStore(path: string): string {
    return `/dashboard/stores/${this.store.id}${path === '' ? '' : `/${path}`}`;
  }

  say(words: InBothLanguages): string {
    return words[this.language];
  }

  money(amountMinor: number, currency: string): string {
    return formatAmount(amountMinor, currency, this.language);
  }

  /** Day and time where the stores are. */
  instant(instant: Date): string {
    return formatInstant(instant, this.language, this.timeZone);
  }

  count(number: number): string {
    return localDigits(number, this.language);
  }

  /** A parameter of the path. What is no id where one is expected names nothing. */
  idOf(parameter: string): string {
    const value = (this.request.params as Record<string, string | undefined>)[parameter];
    if (!isId(value)) throw notFound();
    return value.toLowerCase();
  }

  parameter(name: string): string {
    return (this.request.params as Record<string, string | undefined>)[name] ?? '';
  }

  /** A parameter of the query; empty when it is not there. */
  query(name: string): string {
    const value = (this.request.query as Record<string, unknown>)[name];
    const last: unknown = Array.isArray(value) ? value.at(-1) : value;
    return typeof last === 'string' ? last.slice(0, 200).replaceAll('\0', '').toWellFormed() : '';
  }

  /** The input of a field of the submitted form; empty without one. */
  field(name: string): string {
    const fields = this.request.body as Record<string, unknown> | null | undefined;
    const value = fields === null || typeof fields !== 'object' ? undefined : fields[name];
    return typeof value === 'string' ? value : '';
  }

  /** The same, without blanks around it; null when nothing is left. */
  text(name: string): string | null {
    const value = this.field(name).trim();
    return value === '' ? null : value;
  }

  /** The value that a form's field shows: the input, while the form is shown again, else `otherwise`. */
  typed(name: string, otherwise: string | null = ''): string {
    return this.refusal === null ? (otherwise ?? '') : this.field(name);
  }

  /** Checks what a form says by the rules of the API's own body. @throws DomainError `request.invalid` */
  async checked<Checked extends object>(body: Type<Checked>, fields: object): Promise<Checked> {
    return (await VALIDATION.transform(fields, { type: 'body', metatype: body })) as Checked;
  }

  /** Where a list goes on. @throws DomainError `request.invalid` for a cursor that is none */
  async pageQuery(): Promise<PageQuery> {
    const cursor = this.query('cursor');
    return this.checked(PageQuery, cursor === '' ? {} : { cursor });
  }

  /** The answer to an action that is done: another page, which says so. */
  goTo(path: string, done?: string): { goTo: string } {
    return { goTo: done === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}done=${done}` };
  }

  shown(content: Markup, more: { title?: string; status?: number; heading?: string | Markup } = {}) {
    return { content, ...more };
  }
}
