import { Module, type OnModuleInit } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { HealthController } from './health.controller.js';

/** `/health/live`, `/health/ready` and `/metrics` (decisions §8). */
@Module({ controllers: [HealthController] })
export class HealthModule implements OnModuleInit {
  constructor(private readonly registry: Registry) {}

  onModuleInit(): void {
    collectDefaultMetrics({ register: this.registry });
  }
}
