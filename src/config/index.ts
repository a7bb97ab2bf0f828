export {
  type CheckoutBrandSettings,
  Configuration,
  type FaultPoint,
  type LogLevel,
  type OidcSettings,
  type RateLimit,
} from './configuration.js';
export { makeFolder } from './make-folder.js';
export { ConfigurationError, loadConfiguration, type Environment } from './load-configuration.js';
