import { Module } from '@nestjs/common';
import { Configuration } from '../../platform/config/index.js';
import { PaymentsModule } from '../../payments/index.js';
import { StoresModule } from '../../stores/index.js';
import type { Extension } from '../extension.js';
import { Mailer } from './mailer.js';
import { PaymentMails } from './payment-mails.js';
import { smtpProblems } from './smtp-settings.js';

@Module({
  imports: [StoresModule, PaymentsModule],
  providers: [{ provide: Mailer, useFactory: Mailer.load, inject: [Configuration] }, PaymentMails],
})
export class EmailModule {}

export const EMAIL: Extension = {
  name: 'email',
  module: EmailModule,
  migrations: [],
  errorCodes: {},
  settingProblems: smtpProblems,
};
