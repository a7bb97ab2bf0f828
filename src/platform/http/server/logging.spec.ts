import { describe, expect, it } from 'vitest';
import { loggablePath } from './logging.js';

describe('the path of a request in the log', () => {
  it.each([
    ['/api/v1/payments/019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55/cancel'],
    ['/api/docs/swagger-ui-bundle.js'],
    ['/pay/assets/checkout.3f9a1c.js'],
    ['/'],
  ])('is %s as it came', (path) => {
    expect(loggablePath(path)).toBe(path);
  });

  it.each([
    ['/api/webhooks/joma?token=joma_wh_abc', '/api/webhooks/joma'],
    ['/api/v1/payments/01712345678', '/api/v1/payments/*'],
    ['/api/v1/payments/+8801712345678/', '/api/v1/payments/*/'],
    [`/joma_sk_${'a'.repeat(43)}`, '/*'],
    ['/joma_wh_short', '/*'],
    ['/whsec_c2VjcmV0', '/*'],
    ['/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln', '/*'],
    ['/a/somebody@example.com', '/a/*'],
    ['/a;token=x/b', '/*/b'],
    ['/a%20b', '/*'],
  ])('of %s is %s', (url, path) => {
    expect(loggablePath(url)).toBe(path);
  });
});
