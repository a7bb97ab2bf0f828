export type { Actor, ActorType, NewAuditEntry } from './audit-entry.js';
export { AuditLog } from './audit-log.js';
export { AuditActorView, AuditEntryPage, AuditEntryView } from './audit.dto.js';
export { AuditModule } from './audit.module.js';
