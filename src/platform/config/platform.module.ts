import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { Registry } from 'prom-client';
import { Configuration } from './configuration.js';
import { SecretBox } from './secret-box.js';

/**
 * The providers that every feature may ask for: its class of settings, and the registry of metrics (one for each
 * application, so that two in one process do not count together). All values are also in Nest's `ConfigService`, under
 * `joma`, for modules that enterprise teams bring along.
 */
@Global()
@Module({})
export class PlatformModule {
  static forRoot(configuration: Configuration): DynamicModule {
    const entries = configuration.entries();
    const settings = entries.map(([one, values]): Provider => ({ provide: one, useValue: values }));
    const joma = Object.assign({}, ...entries.map(([, values]) => values)) as object;
    return {
      module: PlatformModule,
      imports: [ConfigModule.forRoot({ isGlobal: true, ignoreEnvFile: true, load: [() => ({ joma })] })],
      providers: [
        ...settings,
        { provide: Configuration, useValue: configuration },
        SecretBox,
        { provide: Registry, useFactory: () => new Registry() },
      ],
      exports: [Configuration, Registry, SecretBox, ...entries.map(([one]) => one)],
    };
  }
}
