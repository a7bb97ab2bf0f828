export { INBOUND_CODES } from './inbound.errors.js';
export { InboundModule, SimulationsModule } from './inbound.module.js';
export { SimulateBody } from './inbound.dto.js';
export { Simulations } from './simulations.js';
