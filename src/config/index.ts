export { Configuration, type LogLevel, type RateLimit } from './configuration.js';
export { ConfigurationError, loadConfiguration, type Environment } from './load-configuration.js';
