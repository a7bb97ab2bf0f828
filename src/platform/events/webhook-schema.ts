/** The description of an event in the OpenAPI document; stands beside the code that appends it. */
export interface WebhookSchema {
  /** As in the body: `payment.verified`. */
  readonly event: string;
  /** Unique in the document: `webhookPaymentVerified`. */
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Unique among all schemas of the document: `PaymentVerifiedEvent`. */
  readonly schemaName: string;
  /** JSON Schema of the body, its keys in the order in which they are sent. */
  readonly schema: Readonly<Record<string, unknown>>;
}
