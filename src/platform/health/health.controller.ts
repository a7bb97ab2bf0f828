import { Controller, Get, Header, UseGuards } from '@nestjs/common';
import { Database } from '../database/index.js';
import { serviceUnavailable } from '../../kernel/domain-error.js';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { ApiProblem, notFound, Stopping } from '../http/index.js';
import { Registry } from 'prom-client';
import { once } from '../../kernel/once.js';
import { MetricsGuard } from './metrics.guard.js';

const ALIVE = {
  schema: { type: 'object', properties: { status: { type: 'string', enum: ['ok'] } }, required: ['status'] },
};

/** For whoever runs the service: is the process alive, may it get requests, how is it doing (contract 8.29). */
@ApiTags('Operations')
@Controller()
export class HealthController {
  /**
   * Its processor time, memory, event loop: from the first time that somebody asks, so that nobody else pays for it.
   */
  private readonly measureProcess = once(async () => {
    const { collectDefaultMetrics } = await import('prom-client');
    collectDefaultMetrics({ register: this.registry });
  });

  constructor(
    private readonly database: Database,
    private readonly stopping: Stopping,
    private readonly registry: Registry,
  ) {}

  /** The process answers; it does not ask the database, whose absence a restart of this process would not mend. */
  @Get('health/live')
  @ApiOperation({ summary: 'Is the process alive?', description: 'The database is not asked.' })
  @ApiOkResponse(ALIVE)
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** The database answers and the replica is not stopping; otherwise 503, so that a load balancer looks elsewhere. */
  @Get('health/ready')
  @ApiOperation({ summary: 'May it get requests?', description: 'The database is asked.' })
  @ApiOkResponse(ALIVE)
  @ApiProblem(serviceUnavailable)
  async ready(): Promise<{ status: 'ok' }> {
    if (this.stopping.isStopping) throw serviceUnavailable.saying('This replica is stopping.');
    await this.database.query('SELECT 1');
    return { status: 'ok' };
  }

  @Get('metrics')
  @UseGuards(MetricsGuard)
  @ApiOperation({
    summary: 'Metrics for Prometheus',
    description:
      'In production for this machine, the networks of `METRICS_ALLOW`, and `Authorization: Bearer` with `METRICS_TOKEN`; 404 for others.',
  })
  @ApiProblem(notFound)
  @ApiProduces('text/plain')
  @ApiOkResponse({ schema: { type: 'string' } })
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  async metrics(): Promise<string> {
    await this.measureProcess();
    return this.registry.metrics();
  }
}
