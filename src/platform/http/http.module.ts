import { Global, Module } from '@nestjs/common';
import { Refusals } from './limits/refusals.js';
import { Stopping } from './server/stopping.js';

/** The parts of HTTP that all features share. */
@Global()
@Module({ providers: [Refusals, Stopping], exports: [Refusals, Stopping] })
export class HttpModule {}
