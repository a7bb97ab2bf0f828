export { InboundModule } from './inbound.module.js';
export { INBOUND_CODES } from './inbound.errors.js';
