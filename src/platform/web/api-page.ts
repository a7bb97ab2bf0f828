import { applyDecorators } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiQuery, ApiResponse } from '@nestjs/swagger';

const SHOWN = 200;

/** Documents a page for browsers: its statuses, each with what is shown; the page itself (200) needs no words. */
export function ApiPage(shown: Readonly<Record<number, string>>): MethodDecorator {
  return applyDecorators(
    ApiQuery({ name: 'lang', enum: ['bn', 'en'], required: false, description: 'Language of the page.' }),
    ApiProduces('text/html'),
    ...Object.entries(shown).map(([status, description]) =>
      Number(status) === SHOWN
        ? ApiOkResponse({ description, schema: { type: 'string' } })
        : ApiResponse({ status: Number(status), description }),
    ),
  );
}
