import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiResponse } from '@nestjs/swagger';
import type { AnyProblem } from '../../../kernel/domain-error.js';
import { titleOf } from './problem.js';

/** The media type of every error. */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

export class InputProblemView {
  @ApiProperty({
    example: '/products/0/price',
    description: 'JSON pointer into the body, or `/name` of a query parameter.',
  })
  pointer!: string;

  @ApiProperty({ example: 'must be a number of at least 0 with at most two decimals' })
  detail!: string;
}

/** RFC 9457 problem details, as every error is answered (contract 1.33). */
export class ProblemView {
  @ApiProperty({ example: 'urn:joma:problem:request.invalid' })
  type!: string;

  @ApiProperty({ example: 'Bad Request' })
  title!: string;

  @ApiProperty({ example: 400, type: 'integer' })
  status!: number;

  @ApiProperty({ example: '/products/0/price: must be a number of at least 0 with at most two decimals' })
  detail!: string;

  @ApiProperty({ example: '/api/v1/payments' })
  instance!: string;

  @ApiProperty({
    example: 'request.invalid',
    description:
      'Stable, and never used again for something else. All codes are listed at the top of this document.',
  })
  code!: string;

  @ApiProperty({ example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55', description: 'As in `X-Request-Id`.' })
  requestId!: string;

  @ApiPropertyOptional({ type: [InputProblemView], description: 'Each wrong place, for invalid input.' })
  errors?: InputProblemView[];
}

/** Documents the problems that a route may answer; what any request may meet is added for the whole document. */
export function ApiProblem(...problems: AnyProblem[]): ClassDecorator & MethodDecorator {
  const statuses = new Set(problems.map(({ status }) => status));
  return applyDecorators(
    ApiExtraModels(ProblemView),
    ...[...statuses].map((status) =>
      ApiResponse({
        status,
        description: titleOf(status),
        content: {
          [PROBLEM_MEDIA_TYPE]: {
            schema: { $ref: `#/components/schemas/${ProblemView.name}` },
            examples: problemExamples(codesOf(problems, status)),
          },
        },
      }),
    ),
  );
}

function codesOf(problems: readonly AnyProblem[], status: number): string[] {
  return problems.filter((problem) => problem.status === status).map(({ code }) => code);
}

/** References to the examples of these codes, which the whole document holds once each. */
export function problemExamples(codes: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
}
