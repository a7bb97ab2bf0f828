import { ApiHeader } from '@nestjs/swagger';
import { invalidInput } from '../../../kernel/domain-error.js';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** Documents the header of a request that may be repeated (contract 1.23). */
export function ApiIdempotencyKey(): MethodDecorator & ClassDecorator {
  return ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: '1–255 visible ASCII. Repeating the request under it gives the first answer again for 24 h.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  });
}

/** The header of an answer that is given again. */
export const IDEMPOTENCY_REPLAYED = {
  'Idempotency-Replayed': {
    description:
      '`true` when this is the stored answer to an earlier request under the same `Idempotency-Key`.',
    schema: { type: 'string' as const, enum: ['true'] },
  },
};

/** The key of a request, null when it has none. @throws DomainError `request.invalid` */
export function idempotencyKeyOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (!VISIBLE_ASCII.test(header)) {
    throw invalidInput([
      { pointer: '/Idempotency-Key', detail: 'must be 1 to 255 visible ASCII characters' },
    ]);
  }
  return header;
}
