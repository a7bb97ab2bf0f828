import { Module } from '@nestjs/common';
import { NotificationsModule } from '../../notifications/index.js';
import { PaymentsModule } from '../../payments/index.js';
import { StoresModule } from '../../stores/index.js';
import type { Extension } from '../extension.js';
import { ChargeRetention } from './charge-retention.js';
import { ChargeWebhooks } from './charge-webhooks.js';
import { API_KEY_HEADERS, ChargeGuard } from './charge.guard.js';
import { ChargesController } from './charges.controller.js';
import { CHARGE_SCHEMA } from './charges.dto.js';
import { ChargesRepository } from './charges.repository.js';
import { CHARGE_COMPLETED, ChargesService } from './charges.service.js';
import { CREATE_CHARGES } from './create-charges.table.js';
import { CreateCharges1763900000000 } from './migrations/1763900000000-create-charges.js';

@Module({
  imports: [StoresModule, PaymentsModule, NotificationsModule],
  controllers: [ChargesController],
  providers: [ChargeGuard, ChargesRepository, ChargesService, ChargeWebhooks, ChargeRetention],
})
export class CreateChargeModule {}

export const CREATE_CHARGE: Extension = {
  name: 'create-charge',
  module: CreateChargeModule,
  entities: [CREATE_CHARGES.entity()],
  migrations: [CreateCharges1763900000000],
  errorCodes: {},
  securitySchemes: {
    createCharge: {
      type: 'apiKey',
      in: 'header',
      name: API_KEY_HEADERS[0],
      description: `The store's \`apiKey\`, as these clients send it; \`${API_KEY_HEADERS[1]}\` is taken, too.`,
    },
  },
  webhookSchemas: [
    {
      event: CHARGE_COMPLETED,
      operationId: 'webhookCreateChargeCompleted',
      summary: 'A charge is completed',
      description:
        'Sent to the charge’s own `webhook_url` once its payment is verified, besides the store’s webhook, with the store’s API ' +
        'key under the header that the charge was created with. What `verify-payment` answers.',
      schemaName: 'CreateChargeCompletedEvent',
      schema: CHARGE_SCHEMA,
    },
  ],
};
