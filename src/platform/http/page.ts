import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { Integer, Text } from './bodies/fields.js';
import { MaxCharacters } from './bodies/text-rules.js';
import { invalidInput } from '../../kernel/domain-error.js';
import { isId } from '../../kernel/ids.js';

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;
export const MAX_CURSOR_CHARACTERS = 200;

/** How the document describes `nextCursor`. */
export const NEXT_CURSOR = '`cursor` of the next page; null on the last one.';

/** One page of a list, newest first; `nextCursor` is null on the last one (contract 1.29). */
export interface Page<Item> {
  readonly data: Item[];
  readonly nextCursor: string | null;
}

/** Where a page starts: behind the row that was created then, under that id. The cost does not depend on the depth. */
export interface PagePosition {
  readonly at: Date;
  readonly id: string;
}

/** A whole number in a query; what is no number stays as it is, for the validator to refuse. */
export function queryInteger({ value }: { value: unknown }): unknown {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
}

/** How many items a page of a list is to have. */
export function PageSize(): PropertyDecorator {
  return applyDecorators(
    Integer({ optional: true, min: 1, max: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE }),
    Transform(queryInteger),
  );
}

/** The query parameters that every list takes. */
export class PageQuery {
  @PageSize()
  limit: number = DEFAULT_PAGE_SIZE;

  @Text({ optional: true, blank: true, description: '`nextCursor` of the page before.' })
  @MaxCharacters(MAX_CURSOR_CHARACTERS)
  cursor?: string;
}

export function encodeCursor(position: PagePosition): string {
  return Buffer.from(`${position.at.getTime()}.${position.id}`).toString('base64url');
}

/** @throws DomainError `request.invalid` for a cursor that this service has not written */
export function decodeCursor(cursor: string | undefined): PagePosition | null {
  if (cursor === undefined) return null;
  const match = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  const at = new Date(Number(match?.[1]));
  if (
    !match ||
    !isId(match[2]) ||
    Number.isNaN(at.getTime()) ||
    encodeCursor({ at, id: match[2] }) !== cursor
  ) {
    throw invalidInput([{ pointer: '/cursor', detail: 'is not a cursor of this service' }]);
  }
  return { at, id: match[2] };
}

/** Cuts a page from rows that were asked for with `limit + 1`. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  position: (row: Row) => PagePosition,
  present: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? encodeCursor(position(last)) : null;
  return { data: shown.map(present), nextCursor };
}
