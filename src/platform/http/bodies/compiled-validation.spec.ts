import { plainToInstance } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  validateSync,
} from 'class-validator';
import { Transform } from 'class-transformer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CompiledValidation, PlainFields } from './compiled-validation.js';
import { IsNotBlank, MaxCharacters, MayBeLeftOut } from './text-rules.js';

@PlainFields()
class Plain {
  @IsInt()
  @Min(1)
  @Max(9)
  amount!: number;

  @IsOptional()
  @IsString()
  @MaxCharacters(4)
  note?: string | null;

  @MayBeLeftOut()
  @IsNotBlank()
  @MaxLength(4)
  name?: string;

  @IsOptional()
  @Matches(/^[a-z]+$/)
  code?: string;

  @MayBeLeftOut()
  @IsIn(['a', 'b'])
  kind?: string;

  @IsOptional()
  @IsBoolean()
  flag: boolean = true;

  @Allow()
  anything?: unknown;
}

@PlainFields()
class Inherited extends Plain {
  @IsInt()
  more!: number;
}

/** The verdict of class-validator, uncompiled. */
function slowly(type: typeof Plain, value: object): Plain | null {
  const instance = plainToInstance(type, value);
  const options = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true };
  return validateSync(instance, options).length === 0 ? instance : null;
}

const field = fc.oneof(
  fc.constantFrom(null, true, false, '', ' ', 'a', 'b', 'abcd', 'abcde', '😀😀😀😀', 0, 1, 9, 10, 1.5),
  fc.constantFrom<unknown>({}, [], ['a'], { a: [1] }),
);
const name = fc.constantFrom(
  ...['amount', 'note', 'name', 'code', 'kind', 'flag', 'anything', 'more', 'unknown', 'toString'],
);
const body = fc.oneof(
  fc.dictionary(name, field),
  fc.record({ amount: fc.integer({ min: 1, max: 9 }), more: fc.constant(1) }, { requiredKeys: ['amount'] }),
  fc
    .record({ amount: fc.constant(3), note: field, name: field, code: field, kind: field, flag: field })
    .map((all) => all as object),
);

describe('CompiledValidation', () => {
  it.each([Plain, Inherited])('accepts what class-validator accepts, and nothing else: %s', (type) => {
    const compiled = CompiledValidation.of(type)!;
    fc.assert(
      fc.property(body, (value) => {
        // A name that every object has is known to class-validator; the pipe refuses it afterwards.
        const expected = Object.hasOwn(value, 'toString') ? null : slowly(type, value);
        expect(compiled.accept(value, { ignoreUnknown: false })).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('answers an instance, with defaults where nothing was said', () => {
    const accepted = CompiledValidation.of(Plain)!.accept({ amount: 2 }, { ignoreUnknown: false });
    expect(accepted).toBeInstanceOf(Plain);
    expect(accepted).toEqual({ amount: 2, flag: true });
  });

  it('leaves unknown fields out when told to', () => {
    const compiled = CompiledValidation.of(Plain)!;
    const value = { amount: 2, toString: 'x', other: { amount: 1 } };
    expect(compiled.accept(value, { ignoreUnknown: true })).toEqual({ amount: 2, flag: true });
    expect(compiled.accept(value, { ignoreUnknown: false })).toBeNull();
  });

  it.each([null, undefined, 5, 'text', [], [{ amount: 2 }]])('is not for %j', (value) => {
    expect(CompiledValidation.of(Plain)!.accept(value, { ignoreUnknown: true })).toBeNull();
  });

  it('stands for no class that does not say so, checks items, or declares nothing', () => {
    class Unsaid extends Plain {
      @IsString()
      @Transform(({ value }) => String(value).trim())
      email!: string;
    }
    @PlainFields()
    class Items {
      @IsString({ each: true })
      @ArrayMaxSize(3)
      list!: string[];
    }
    @PlainFields()
    class Nothing {}
    for (const type of [Unsaid, Items, Nothing]) expect(CompiledValidation.of<object>(type)).toBeNull();
  });
});
