import { Controller, Get, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import { notFound } from '../platform/http/index.js';
import { DashboardFilter } from './kit/dashboard.filter.js';

/** Leads from the server's root to the dashboard (contract 10.2). */
@ApiExcludeController()
@Controller()
export class RootController {
  @Get()
  lead(@Res() reply: FastifyReply): void {
    void reply.status(302).header('Location', '/dashboard').header('Cache-Control', 'no-store').send();
  }

  /** Anything else under the dashboard is no page, and says so to a user. */
  @Get('dashboard/*')
  @UseFilters(DashboardFilter)
  missing(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    // A trailing slash means the same page.
    if (request.url.split('?', 1)[0] === '/dashboard/') return this.lead(reply);
    throw notFound();
  }
}
