import { Module } from '@nestjs/common';
import { forTables } from '../database/index.js';
import { AUDIT_ENTRIES } from './audit-entry.js';
import { AuditLog } from './audit-log.js';

@Module({
  imports: [forTables(AUDIT_ENTRIES)],
  providers: [AuditLog],
  exports: [AuditLog],
})
export class AuditModule {}
