export { type ActorType, type AuditCaller, THE_SERVICE } from './audit-entry.js';
export { type AuditFilter, AuditLog } from './audit-log.js';
export type { BrokenEntry, CheckedChain } from './audit-verification.js';
export { AuditActorView, AuditEntryPage, AuditEntryView } from './audit.dto.js';
export { AuditModule } from './audit.module.js';
