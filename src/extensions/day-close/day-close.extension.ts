import { Module } from '@nestjs/common';
import { StoresModule } from '../../stores/index.js';
import type { Extension } from '../extension.js';
import { problemsOf } from '../../kernel/domain-error.js';
import * as problems from './day-close.problems.js';
import { DayCloseRepository } from './day-close.repository.js';
import { DayStatements } from './day-statements.js';
import { DaysController } from './days.controller.js';
import { DaysService } from './days.service.js';
import { DaysPage } from './pages/days.page.js';
import { ReconciliationPage } from './pages/reconciliation.page.js';
import { ReconciliationService } from './reconciliation.service.js';
import { ReconciliationsController } from './reconciliations.controller.js';

@Module({
  imports: [StoresModule],
  controllers: [DaysController, ReconciliationsController],
  providers: [DayCloseRepository, DaysService, DayStatements, ReconciliationService],
})
export class DayCloseModule {}

export const DAY_CLOSE: Extension = {
  name: 'day-close',
  module: DayCloseModule,
  migrations: [],
  errorCodes: problemsOf(problems),
  pages: [DaysPage, ReconciliationPage],
};
