import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { failureOf } from '../../platform/http/index.js';
import { stackOf } from '../../kernel/error-text.js';

/**
 * Errors as these clients expect them: `{error: {code, message}}` with 400, a wrong key included; our own trouble
 * stays a 5xx.
 */
@Catch()
export class ChargeFilter implements ExceptionFilter {
  private readonly logger = new Logger(ChargeFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const { status, code, message: detail } = failureOf(error);
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (status >= 500) this.logger.error(stackOf(error));
    void reply
      .status(status >= 500 ? status : 400)
      .header('Cache-Control', 'no-store')
      .send({ error: { code, message: detail } });
  }
}
