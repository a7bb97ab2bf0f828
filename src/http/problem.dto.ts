import { applyDecorators } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { titleOf } from './problem.js';

export class InputProblemView {
  @ApiProperty({
    example: '/products/0/price',
    description: 'JSON pointer into the body, or `/name` of a query parameter.',
  })
  pointer!: string;

  @ApiProperty({ example: 'must be a number of at least 0 with at most two decimals' })
  detail!: string;
}

/** RFC 9457 problem details, as every error is answered (decisions §1). */
export class ProblemView {
  @ApiProperty({ example: 'urn:joma:problem:request.invalid' })
  type!: string;

  @ApiProperty({ example: 'Bad Request' })
  title!: string;

  @ApiProperty({ example: 400 })
  status!: number;

  @ApiProperty({ example: '/products/0/price: must be a number of at least 0 with at most two decimals' })
  detail!: string;

  @ApiProperty({ example: '/api/v1/payments' })
  instance!: string;

  @ApiProperty({
    example: 'request.invalid',
    description: 'Stable; see the list of codes at the top of this document.',
  })
  code!: string;

  @ApiProperty({ example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' })
  requestId!: string;

  @ApiPropertyOptional({ type: [InputProblemView] })
  errors?: InputProblemView[];
}

/** Documents problem answers with these statuses. */
export function ApiProblem(...statuses: number[]): ClassDecorator & MethodDecorator {
  return applyDecorators(
    ApiExtraModels(ProblemView),
    ...statuses.map((status) =>
      ApiResponse({
        status,
        description: titleOf(status),
        content: { 'application/problem+json': { schema: { $ref: getSchemaPath(ProblemView) } } },
      }),
    ),
  );
}
