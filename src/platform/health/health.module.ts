import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';

/** `/health/live`, `/health/ready` and `/metrics` (contract 8.29). */
@Module({ controllers: [HealthController] })
export class HealthModule {}
