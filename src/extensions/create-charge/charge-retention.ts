import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PersonalRetention } from '../../payments/index.js';
import { ChargesRepository } from './charges.repository.js';

/** A charge names the customer once more, and loses it with its payment (`RETENTION_PERSONAL`, contract 14.61). */
@Injectable()
export class ChargeRetention implements OnModuleInit {
  constructor(
    private readonly retention: PersonalRetention,
    private readonly charges: ChargesRepository,
  ) {}

  onModuleInit(): void {
    this.retention.onRedacted((tx, { payments }) => this.charges.redact(tx, payments));
  }
}
