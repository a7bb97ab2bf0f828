import { describe, expect, it } from 'vitest';
import { Email, Flag, Text, WebAddress } from './fields.js';
import { limitsOf } from './limits.js';
import { PartialType, PickType } from '@nestjs/swagger';

class Body {
  @Text({ max: 200 })
  title!: string;

  @Text({ max: 1_000, nullable: true })
  note?: string | null;

  @WebAddress({ nullable: true })
  redirectUrl?: string | null;

  @Email({})
  email!: string;

  @Flag({ optional: true })
  active?: boolean;
}

class Change extends PartialType(PickType(Body, ['title', 'note']), { skipNullProperties: false }) {}

describe('the limits of a field', () => {
  it.each([
    [Body, 'title', { required: true, nullable: false, max: 200 }],
    [Body, 'note', { required: false, nullable: true, max: 1_000 }],
    [Body, 'redirectUrl', { required: false, nullable: true, max: 2_048 }],
    [Body, 'email', { required: true, nullable: false, max: 254 }],
    [Body, 'active', { required: false, nullable: false, max: undefined }],
    [Change, 'title', { required: false, nullable: false, max: 200 }],
    [Change, 'note', { required: false, nullable: true, max: 1_000 }],
  ])('are those of its rules: %o %s', (body, field, limits) => {
    expect(limitsOf(body, field)).toEqual(limits);
  });
});
