export {
  type CheckoutBrandSettings,
  Configuration,
  type Environment,
  type FaultPoint,
  type LogLevel,
  type OidcSettings,
  type RateLimit,
} from './configuration.js';
export { boxOwner, KEY_ID_IN_BOX, SecretBox } from './secret-box.js';
export { makeFolder } from './make-folder.js';
export { ConfigurationError, loadConfiguration } from './load-configuration.js';
