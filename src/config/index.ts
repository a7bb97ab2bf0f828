export {
  type CheckoutBrandSettings,
  Configuration,
  type Environment,
  type FaultPoint,
  type LogLevel,
  type OidcSettings,
  type RateLimit,
} from './configuration.js';
export { makeFolder } from './make-folder.js';
export { ConfigurationError, loadConfiguration } from './load-configuration.js';
