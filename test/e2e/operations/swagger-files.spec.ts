import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/test-app.js';

/*
 * Rules: contract 8.29.
 *
 * Goal: what a start leaves for later is there for whoever asks, also for two who ask first together.
 * Method: the pages of Swagger UI, its files and the metrics of a service that nobody has asked yet.
 */

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

describe('Read when it is asked for', () => {
  it('the process is measured once, whoever asks first', async () => {
    const answers = await Promise.all([app.http.get('/metrics'), app.http.get('/metrics')]);
    for (const { status, text } of [...answers, await app.http.get('/metrics')]) {
      expect(status).toBe(200);
      expect(text.match(/^process_cpu_user_seconds_total /gm)).toHaveLength(1);
      expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m);
    }
  });

  it.each([
    ['', 'text/html; charset=utf-8'],
    ['/', 'text/html; charset=utf-8'],
    ['/index.html', 'text/html; charset=utf-8'],
    ['/swagger-ui-init.js', 'application/javascript; charset=utf-8'],
    ['/swagger-ui.css', 'text/css; charset=utf-8'],
    ['/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
    ['/swagger-ui-standalone-preset.js', 'text/javascript; charset=utf-8'],
    ['/favicon-16x16.png', 'image/png'],
    ['/favicon-32x32.png', 'image/png'],
  ])('/api/docs%s is %s, and not sent again to who has it', async (path, type) => {
    const first = await app.http.get(`/api/docs${path}`);
    expect([first.status, first.headers.get('content-type')]).toEqual([200, type]);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const etag = first.headers.get('etag')!;
    const again = await app.http.get(`/api/docs${path}`, { 'if-none-match': etag });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
  });

  it('nothing else of the library’s folders is served', async () => {
    for (const name of ['package.json', 'LICENSE', 'swagger-ui-bundle.js.map', '../../package.json'])
      expect((await app.http.get(`/api/docs/${name}`)).status).toBe(404);
  });
});
