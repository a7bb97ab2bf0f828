export { EmbeddedPostgres } from './embedded-postgres.js';
export { EmbeddedPostgresError } from './owner-lock.js';
export { tryAddress } from './try-address.js';
