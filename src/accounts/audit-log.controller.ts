import { Controller, Get } from '@nestjs/common';
import { AuditEntryPage, AuditLog } from '../platform/audit/index.js';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblem, KnownQueriesOnly, KnownQuery, type Page, PageQuery } from '../platform/http/index.js';
import { ForUsers } from './sessions/for-users.js';
import { SignInFailures } from './sign-in/sign-in-failures.js';
import { requestInvalid } from '../kernel/domain-error.js';

/** Lists the audit entries that belong to no store: users, their sign-ins, and failed sign-ins (contract 14.53). */
@ApiTags('Accounts')
@Controller('api/v1/audit-log')
@KnownQueriesOnly()
@ForUsers('admin')
export class AuditLogController {
  constructor(
    private readonly auditLog: AuditLog,
    private readonly failures: SignInFailures,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Read the audit log of what belongs to no store',
    description: 'Newest first; it can only grow. Failed sign-ins stand here with the account.',
  })
  @ApiOkResponse({ type: AuditEntryPage })
  @ApiProblem(requestInvalid)
  async list(@KnownQuery() query: PageQuery): Promise<Page<unknown>> {
    await this.failures.written();
    return this.auditLog.listOfNoStore(query);
  }
}
