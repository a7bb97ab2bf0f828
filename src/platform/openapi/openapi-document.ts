import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { completeDocument } from './openapi-completion.js';
import { shareEnums } from './openapi-enums.js';
import type { WebhookSchema } from '../events/index.js';
import type { ProblemCodes } from '../../kernel/domain-error.js';
import { webhookBodiesOf, webhooksOf } from './openapi-webhooks.js';

const description = (
  codes: ProblemCodes,
) => `Payment collection for mobile wallets in Bangladesh: bKash, Nagad, Rocket, Upay and Bangla QR.

**Try the whole flow here**

1. Sign in with \`POST /api/v1/auth/login\`: the admin's e-mail address is \`admin@joma.local\` unless \`ADMIN_EMAIL\` says otherwise, the password was printed at the first start. Press *Authorize* and paste the \`accessToken\` under \`person\`.
2. Create a store, or take the demo store, if \`npm start\` has printed its keys. Under *Authorize*, paste its \`apiKey\` under \`apiKey\` and its \`webhookSecret\` under \`webhookSecret\`.
3. Create a payment. Its \`id\` is what the payer's endpoints ask for; \`checkoutUrl\` is the page the payer sees.
4. Submit the example TrxID for it with \`POST /api/v1/payments/public/{id}/verify\`: 202, it waits for the receipt.
5. Send the example receipt of the phone: \`matched\`, the payment is verified, and \`payment.verified\` goes to the store's \`webhookUrl\`. Without one it is held; look under *Deliveries*. Or simulate the receipt: where there are several stores, the demo store among them, the example needs a \`storeId\`.

A TrxID pays once: change it in both examples to go round again.

**Conventions.** JSON in UTF-8. Times are ISO 8601 in UTC. Money is a number with at most two decimals. Lists answer \`data\` and \`nextCursor\`, which is the next \`?cursor=\`. Every answer carries \`X-Request-Id\`.

**Errors** are \`application/problem+json\` (RFC 9457) with a stable \`code\`.

**This document** is at [\`/api/docs/openapi.json\`](/api/docs/openapi.json), for generators of clients.

<details>
<summary>All codes</summary>

| Code | Status | Meaning |
|---|---|---|
${Object.entries(codes)
  .map(([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`)
  .join('\n')}

</details>
`;

/** In the order in which somebody new needs them. */
const TAGS: readonly (readonly [name: string, description: string])[] = [
  ['Accounts', 'Sign-in and users.'],
  ['Stores', 'A store, its wallets and its secrets.'],
  ['Members', 'Who besides the owner may what in a store.'],
  ['Payments', 'What a merchant’s backend calls, with the store’s API key. Never from a browser or an app.'],
  ['Checkout', 'What the payer’s page calls. No credential: the id of the payment is the capability.'],
  ['Phone', 'What the app on the store’s phone calls, with the store’s webhook secret.'],
  ['Messages', 'What phones forwarded: each text with what it was taken for.'],
  ['Simulation', 'Receipts that a user makes up, for trying things out.'],
  ['Deliveries', 'Events to the merchant: what was sent, what became of it, and the same events to pull.'],
  ['Payment links', 'Links that become payments: for a shop that sells in chats, the whole integration.'],
  ['Refunds', 'Money that went back by hand, written down.'],
  ['Review', 'Payments and receipts that a user of the store looks at.'],
  ['Operations', 'For whoever runs the service.'],
];

/** The contribution of a feature or an extension to the document besides its routes. */
export interface DocumentPart {
  readonly errorCodes: ProblemCodes;
  readonly webhookSchemas?: readonly WebhookSchema[];
  /** Sets of words that the document names once, as a component: `PaymentStatus`. */
  readonly enums?: Readonly<Record<string, readonly string[]>>;
  readonly securitySchemes?: Readonly<Record<string, Parameters<DocumentBuilder['addSecurity']>[1]>>;
}

/**
 * The OpenAPI 3.1 document of everything that is mounted (contract 8.30), extensions that are switched on included.
 * The same modules always give the same document.
 */
export function buildOpenApiDocument(app: INestApplication, parts: readonly DocumentPart[]): OpenAPIObject {
  const codes: ProblemCodes = Object.fromEntries(
    parts.flatMap(({ errorCodes }) => Object.entries(errorCodes)),
  );
  const webhooks = parts.flatMap(({ webhookSchemas = [] }) => webhookSchemas);
  const settings = new DocumentBuilder()
    .setTitle('Joma')
    .setDescription(description(codes))
    .setVersion('1.0')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .setOpenAPIVersion('3.1.0')
    .addServer('/', 'This server')
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: 'A user: the `accessToken` of `POST /api/v1/auth/login`.',
      },
      'person',
    )
    .addApiKey(
      {
        type: 'apiKey',
        in: 'header',
        name: 'X-Api-Key',
        description: "A merchant's backend: the store's `apiKey` (`joma_sk_…`).",
      },
      'apiKey',
    )
    .addApiKey(
      {
        type: 'apiKey',
        in: 'header',
        name: 'X-Webhook-Secret',
        description: "The store's phone: the store's `webhookSecret` (`joma_wh_…`).",
      },
      'webhookSecret',
    );
  for (const { securitySchemes = {} } of parts) {
    for (const [name, scheme] of Object.entries(securitySchemes)) settings.addSecurity(name, scheme);
  }
  for (const [name, description] of TAGS) settings.addTag(name, description);
  const document = SwaggerModule.createDocument(app, settings.build(), {
    operationIdFactory: operationId,
  });
  document.webhooks = webhooksOf(webhooks);
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...webhookBodiesOf(webhooks) },
  };
  const enums = Object.assign({}, ...parts.map(({ enums = {} }) => enums), {
    ProblemCode: Object.keys(codes),
    EventName: webhooks.map(({ event }) => event),
  }) as Record<string, readonly string[]>;
  return shareEnums(completeDocument(document, codes), enums);
}

/**
 * `paymentsCreate` for `PaymentsController.create`, and `simulate` for `SimulateController.simulate`: a name that
 * generators of clients and links to a place can both use.
 */
function operationId(controller: string, method: string): string {
  const feature = controller.replace(/Controller$/, '');
  const name = feature.slice(0, 1).toLowerCase() + feature.slice(1);
  return name === method ? name : name + method.slice(0, 1).toUpperCase() + method.slice(1);
}
