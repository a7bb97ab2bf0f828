import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { Registry } from '../../kernel/metrics.js';
import { Configuration } from './configuration.js';
import { SecretBox } from './secret-box.js';

/**
 * What every feature may ask for: the checked configuration, and the registry of metrics (one for each application,
 * so that two in one process do not count together). The configuration is also in Nest's `ConfigService`, under
 * `joma`, for modules that enterprise teams bring along.
 */
@Global()
@Module({})
export class PlatformModule {
  static forRoot(configuration: Configuration): DynamicModule {
    return {
      module: PlatformModule,
      imports: [
        ConfigModule.forRoot({
          isGlobal: true,
          ignoreEnvFile: true,
          load: [() => ({ joma: configuration })],
        }),
      ],
      providers: [
        { provide: Configuration, useValue: configuration },
        SecretBox,
        { provide: Registry, useFactory: () => new Registry() },
      ],
      exports: [Configuration, Registry, SecretBox],
    };
  }
}
