import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  ApiProblem,
  bodyTooLarge,
  KnownQueriesOnly,
  KnownQuery,
  rateLimited,
  readUpload,
  requestTimeout,
  unsupportedMediaType,
  UploadBody,
} from '../../platform/http/index.js';
import { CurrentStore, ForStoreUsers, NeedsRole, type Store } from '../../stores/index.js';
import {
  missingLineView,
  reconciledLineView,
  ReconciliationQuery,
  ReconciliationView,
  unknownLineView,
} from './day-close.dto.js';
import { MAX_LISTED, type Reconciliation, ReconciliationService } from './reconciliation.service.js';
import { requestInvalid } from '../../kernel/domain-error.js';
import { columnsMissing, statementUnreadable } from './day-close.problems.js';

/** The largest statement, in bytes, and how long it may take to arrive, in milliseconds (contract 1.14). */
export const MAX_STATEMENT_BYTES = 10 * 1024 * 1024;
const UPLOAD_TIMEOUT_MS = 120_000;

const EXAMPLE = 'Date,TrxID,Amount\n2026-11-21,DIJ3MXAHCJ,500\n';

/** A wallet's statement beside ours (contract 13.11). */
@ApiTags('Day close')
@ApiParam({ name: 'storeId', format: 'uuid', description: 'Id of the store.' })
@Controller('api/v1/stores/:storeId/reconciliations')
@KnownQueriesOnly()
@ForStoreUsers()
export class ReconciliationsController {
  constructor(private readonly reconciliation: ReconciliationService) {}

  @Post()
  @HttpCode(200)
  @NeedsRole('reviewer')
  @UploadBody({
    types: ['text/csv', 'multipart/form-data'],
    maxBytes: MAX_STATEMENT_BYTES,
    timeoutMs: UPLOAD_TIMEOUT_MS,
  })
  @ApiOperation({
    summary: 'Reconcile a wallet’s statement',
    description:
      'CSV with a header that names a date, an id and an amount as the exports of wallets do, or as the parameters say. ' +
      'Amounts are compared exactly, ids as they are normalised. Nothing is kept.',
    requestBody: {
      required: true,
      content: {
        'text/csv': { schema: { type: 'string' }, example: EXAMPLE },
        'multipart/form-data': {
          schema: {
            type: 'object',
            properties: { file: { type: 'string', contentMediaType: 'text/csv' } },
            required: ['file'],
          } as object,
        },
      },
    },
  })
  @ApiOkResponse({ type: ReconciliationView })
  @ApiProblem(
    requestInvalid,
    columnsMissing,
    statementUnreadable,
    requestTimeout,
    bodyTooLarge,
    unsupportedMediaType,
    rateLimited,
  )
  async reconcile(
    @CurrentStore() store: Store,
    @KnownQuery() query: ReconciliationQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { file } = await readUpload(request);
    const { provider, dateColumn, trxIdColumn, amountColumn, from = null, to = null } = query;
    const columns = {
      ...(dateColumn === undefined ? {} : { date: dateColumn }),
      ...(trxIdColumn === undefined ? {} : { trxId: trxIdColumn }),
      ...(amountColumn === undefined ? {} : { amount: amountColumn }),
    };
    const found = await this.reconciliation.reconcile(store, file, {
      provider,
      columns,
      first: from,
      last: to,
    });
    const missing = found.missing();
    // The missing receipts may be far more than the statement: they are read while the answer is sent, the first
    // before it begins.
    const first = await missing.next();
    void reply
      .status(200)
      .type('application/json; charset=utf-8')
      .header('Cache-Control', 'no-store')
      .send(Readable.from(jsonOf(found, first, missing), { highWaterMark: 1 }));
  }
}

async function* jsonOf(
  { matched, over, under, unknown }: Reconciliation,
  first: IteratorResult<Parameters<typeof missingLineView>[0], unknown>,
  rest: ReturnType<Reconciliation['missing']>,
): AsyncGenerator<string> {
  const told = {
    matched: matched.items.map(reconciledLineView),
    matchedCount: matched.count,
    over: over.items.map(reconciledLineView),
    overCount: over.count,
    under: under.items.map(reconciledLineView),
    underCount: under.count,
    unknown: unknown.items.map(unknownLineView),
    unknownCount: unknown.count,
  };
  let missingCount = 0;
  yield `${JSON.stringify(told).slice(0, -1)},"missing":[`;
  if (first.done !== true) {
    missingCount = 1;
    yield JSON.stringify(missingLineView(first.value));
  }
  for await (const receipt of rest) {
    missingCount += 1;
    if (missingCount <= MAX_LISTED) yield `,${JSON.stringify(missingLineView(receipt))}`;
  }
  yield `],"missingCount":${missingCount}}`;
}
