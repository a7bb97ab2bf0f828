import { PartialType, PickType } from '@nestjs/mapped-types';
import type { Type } from '@nestjs/common';
import type * as Swagger from '@nestjs/swagger';

/*
 * The decorators of `@nestjs/swagger`, which describe the API for users and generators. Here they only note what they
 * were given: the library is read, and all of it told, when the document is asked for first. It brings 540 files, a
 * tenth of every start, for a document that most replicas never write (docs/performance.md).
 */

type Library = typeof Swagger;
type Names<Of> = { [Name in keyof Of]: Name extends `Api${string}` ? Name : never }[keyof Of];
type DecoratorName = Names<Library>;
type AnyDecorator = (...options: unknown[]) => (...place: unknown[]) => void;

const notes: ((library: Library) => void)[] = [];

/** The library, once it has heard what was noted since it was asked for last. */
export async function readApiLibrary(): Promise<Library> {
  const library = await import('@nestjs/swagger');
  for (const tell of notes.splice(0)) tell(library);
  return library;
}

function noted<Name extends DecoratorName>(name: Name): Library[Name] {
  const decorator: AnyDecorator =
    (...options) =>
    (...place) => {
      notes.push((library) => (library[name] as AnyDecorator)(...options)(...place));
    };
  return decorator as Library[Name];
}

export const ApiAcceptedResponse = noted('ApiAcceptedResponse');
export const ApiBadRequestResponse = noted('ApiBadRequestResponse');
export const ApiBearerAuth = noted('ApiBearerAuth');
export const ApiBody = noted('ApiBody');
export const ApiConsumes = noted('ApiConsumes');
export const ApiCreatedResponse = noted('ApiCreatedResponse');
export const ApiExcludeController = noted('ApiExcludeController');
export const ApiExcludeEndpoint = noted('ApiExcludeEndpoint');
export const ApiExtension = noted('ApiExtension');
export const ApiExtraModels = noted('ApiExtraModels');
export const ApiHeader = noted('ApiHeader');
export const ApiNoContentResponse = noted('ApiNoContentResponse');
export const ApiOkResponse = noted('ApiOkResponse');
export const ApiOperation = noted('ApiOperation');
export const ApiParam = noted('ApiParam');
export const ApiProduces = noted('ApiProduces');
export const ApiProperty = noted('ApiProperty');
export const ApiPropertyOptional = noted('ApiPropertyOptional');
export const ApiQuery = noted('ApiQuery');
export const ApiResponse = noted('ApiResponse');
export const ApiSecurity = noted('ApiSecurity');
export const ApiTags = noted('ApiTags');

/**
 * Some fields of a body, each of which may be left out: their rules now, their descriptions with all the others.
 *
 * @param nullIsLeftOut whether null stands for a field that was left out; otherwise it has to keep the field's own
 * rules
 */
export function PartOf<Whole, Key extends keyof Whole & string>(
  whole: Type<Whole>,
  keys: readonly Key[],
  { nullIsLeftOut = true } = {},
): Type<Partial<Pick<Whole, Key>>> {
  const Part = PartialType(PickType(whole, keys), { skipNullProperties: nullIsLeftOut });
  notes.push(({ ApiProperty: describe, DECORATORS }) => {
    for (const key of keys) {
      const description: unknown = Reflect.getMetadata(
        DECORATORS.API_MODEL_PROPERTIES,
        whole.prototype as object,
        key,
      );
      describe(Object.assign({}, description, { required: false }))(Part.prototype as object, key);
    }
  });
  return Part;
}
