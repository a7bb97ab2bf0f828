import { invalidInput } from '../../kernel/domain-error.js';

/** Wrong addresses are told as any bad input is. */
export const webhookAddressRefused = (reason: string) =>
  invalidInput([{ pointer: '/webhook_url', detail: reason }]);
