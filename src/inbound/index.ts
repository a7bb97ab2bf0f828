export * as inboundProblems from './inbound.problems.js';
export { InboundModule, phoneRoutes, SimulationsModule } from './inbound.module.js';
export { SimulateBody } from './inbound.dto.js';
export { Simulations } from './simulations.js';
export { MessagesModule } from './inbound.module.js';
export { type Message, type MessageStatus } from './sms/messages.repository.js';
export {
  MESSAGE_STATUSES,
  type MessageFieldsView,
  MessageQuery,
  ParseBody,
  parseView,
} from './sms/messages.dto.js';
export { fieldsOf, MessagesService, type RereadCounts } from './sms/messages.service.js';
export { type PhoneDoor, type Recipe, type RecipeSetting, RECIPES } from './sms/forwarders/index.js';
export { rereadAllStores } from './sms/reread.js';
export { PhoneWatch } from './phone-watch.js';
