import type { Type } from '@nestjs/common';
import type { DocumentBuilder } from '@nestjs/swagger';
import type { Environment } from '../platform/config/index.js';
import type { MigrationClass } from '../platform/database/index.js';
import type { WebhookSchema } from '../platform/events/index.js';
import type { ProblemCodes } from '../kernel/domain-error.js';
import type { WalletProvider } from '../wallets/index.js';

/** As `DocumentBuilder` takes it. */
export type SecurityScheme = Parameters<DocumentBuilder['addSecurity']>[1];

/**
 * A module of one's own (contract 13.1). It lies in a folder of `src/extensions/` and stands in the list in `index.ts`;
 * nothing else of the service is touched. Switched off it leaves no trace in routes, document or start-up.
 */
export interface Extension {
  /** The name in `EXTENSIONS`: lower-case letters, digits and hyphens, like the folder. */
  readonly name: string;
  /** Its controllers, services and subscribers. */
  readonly module: Type<unknown>;
  /** Its entities. `TypeOrmModule.forFeature` in the module would make them known while it is switched off, too. */
  readonly entities?: readonly Type<unknown>[];
  /**
   * Its own tables, hand-written SQL under its own folder, run after the core's. Switched off later, the tables stay
   * as they are. It may read the core's tables, with the store in the condition, and never writes them.
   */
  readonly migrations: readonly MigrationClass[];
  /** Codes of its own errors; published in the OpenAPI document while it is switched on. */
  readonly errorCodes: ProblemCodes;
  /** Wallets that the checkout offers and whose receipts match, beside the core's. */
  readonly wallets?: readonly WalletProvider[];
  /** Its pages under `/dashboard`, classes with `@DashboardPage`; the navigation finds them by itself. */
  readonly pages?: readonly Type<unknown>[];
  /** Bodies that it sends, for the OpenAPI document. */
  readonly webhookSchemas?: readonly WebhookSchema[];
  /** Credentials of its own, for the OpenAPI document. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  /** One line for every variable of its own that is wrong; such a line stops the start. */
  readonly settingProblems?: (environment: Environment) => readonly string[];
}
