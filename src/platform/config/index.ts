export { Configuration, settings, type SettingsClass } from './configuration.js';
export { ConfigurationError } from './configuration-error.js';
export { EncryptionSettings } from './encryption.settings.js';
export { hostUrls } from './host-urls.js';
export { makeFolder } from './make-folder.js';
export { boxOwner, KEY_ID_IN_BOX, SecretBox } from './secret-box.js';
export { DEFAULT_PORT, type LogLevel, ServiceSettings } from './service.settings.js';
export * from './setting.js';
