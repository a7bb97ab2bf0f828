import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';

/** `/health/live`, `/health/ready` and `/metrics` (decisions §8). */
@Module({ controllers: [HealthController] })
export class HealthModule {}
