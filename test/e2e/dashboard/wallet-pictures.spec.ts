import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checksumOf } from '../../../src/platform/web/emv-qr.js';
import { DashboardBrowser } from '../../support/dashboard-browser.js';
import {
  type DashboardScene,
  MERCHANT,
  startDashboardScene,
  STRANGER,
} from '../../support/dashboard-scene.js';
import { drawPng, drawQrCodes, pngOf } from '../../support/drawn-png.js';

/*
 * Rules: contract 1.13, 1.14, 10.28, 14.39, 14.40.
 *
 * Goal: a shop gives its printed Bangla QR code as a picture, sees what was read before it is saved, and is told in
 * plain words what is wrong with any other picture; no picture costs more than its limits (contract 1.14 and 10.28).
 * Method: pictures that the test draws, sent as a browser sends them.
 */

const field = (id: string, value: string) => `${id}${String(value.length).padStart(2, '0')}${value}`;
const UNSIGNED = `000201${field('26', field('00', 'bd.banglaqr'))}${field('53', '050')}${field('58', 'BD')}${field('59', 'Dhaka Books')}${field('60', 'Dhaka')}6304`;
const SHOP_QR = UNSIGNED + checksumOf(UNSIGNED);

let scene: DashboardScene;
let merchant: DashboardBrowser;

beforeAll(async () => {
  scene = await startDashboardScene();
  merchant = await DashboardBrowser.signIn(scene.one.http.url, MERCHANT);
  await merchant.request('GET', '/dashboard/account?lang=en');
});
afterAll(() => scene.close());

const path = () => `/dashboard/stores/${scene.store.id}/wallets/picture`;
const send = (bytes: Buffer, browser = merchant, withToken = true) =>
  browser.request('POST', path(), { withToken, file: { name: 'picture', bytes } });

describe('a picture of a QR code', () => {
  it('is read, shown, and saved only by the press after it', async () => {
    const read = await send(drawQrCodes(SHOP_QR));
    expect(read.status).toBe(200);
    expect(read.text).toContain('Dhaka Books');
    expect(read.text).toContain(`value="${SHOP_QR}"`);
    const stored = () =>
      scene.one.http.get(`/api/v1/stores/${scene.store.id}`, scene.merchant).then(({ text }) => text);
    expect(await stored()).not.toContain(SHOP_QR);
    const fields = { provider: 'qr', accountType: 'merchant', qrPayload: SHOP_QR, number: '' };
    const saved = await merchant.request('POST', path().replace('/picture', ''), { withToken: true, fields });
    expect(saved.status).toBe(303);
    expect(await stored()).toContain(SHOP_QR);
  });

  it('takes the place of the code of a wallet, after a press', async () => {
    const { body } = await scene.one.http.get<{ wallets: { provider: string }[] }>(
      `/api/v1/stores/${scene.store.id}`,
      scene.merchant,
    );
    const index = body.wallets.findIndex(({ provider }) => provider === 'qr');
    const page = path().replace('/picture', `/${index}`);
    expect((await merchant.request('GET', page)).text).toContain('enctype="multipart/form-data"');
    const file = { name: 'picture', bytes: drawQrCodes(SHOP_QR) };
    const read = await merchant.request('POST', `${page}/picture`, { withToken: true, file });
    expect([read.status, read.text.includes(`action="${page}"`)]).toEqual([200, true]);
  });

  it.each<[string, () => Buffer, string]>([
    ['without a code', () => drawPng({ width: 300, height: 300 }), 'No QR code was found'],
    ['with two codes', () => drawQrCodes(SHOP_QR, `${SHOP_QR}x`), 'more than one QR code'],
    ['of another code', () => drawQrCodes('https://example.com/shop'), 'no payment code'],
    ['of a damaged code', () => drawQrCodes(SHOP_QR.replace('Books', 'Boots')), 'checksum is wrong'],
    ['that is none', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'no picture'],
    ['that is empty', () => Buffer.alloc(0), 'no picture'],
    ['that breaks off', () => drawQrCodes(SHOP_QR).subarray(0, 200), 'no picture'],
    [
      'that claims 65,000 × 65,000',
      () => pngOf({ width: 65_000, height: 65_000 }, Buffer.alloc(9)),
      'too large',
    ],
    [
      'whose rows unpack to more than it says',
      () => pngOf({ width: 100, height: 100 }, deflateSync(Buffer.alloc(64 * 1024 * 1024))),
      'no picture',
    ],
    ['of more than 8 MiB', () => Buffer.alloc(8 * 1024 * 1024 + 1, 0xff), 'too large'],
  ])('%s is refused in plain words', async (_name, draw, words) => {
    const answer = await send(draw());
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(words);
    expect(answer.text).toContain('aria-invalid="true"');
  });

  const hostile: readonly [string, () => Buffer][] = [
    [
      '18 kB of patterns that look like the corners of codes',
      () => {
        const dark = (at: number) => [0, 2, 3, 4, 6].includes(at % 8);
        return drawPng({ width: 3_000, height: 3_000 }, (x, y) => dark(x) && dark(y));
      },
    ],
    [
      '311 kB that unpack to 40 megapixels in colour',
      () => pngOf({ width: 6_300, height: 6_300 }, deflateSync(Buffer.alloc(1 << 26))),
    ],
    [
      '7 MB of noise',
      () => {
        const random = randomBytes(7_000 * 1_000);
        const [width, height] = [7_000, 1_000];
        return pngOf(
          { width, height },
          deflateSync(
            Buffer.concat(
              Array.from({ length: height }, (_, row) =>
                Buffer.concat([Buffer.alloc(1), random.subarray(row * width, (row + 1) * width)]),
              ),
            ),
          ),
        );
      },
    ],
  ];

  it.each(hostile)('attack: %s holds up nobody', { timeout: 120_000 }, async (_name, draw) => {
    const bytes = draw();
    expect(bytes.length).toBeLessThan(8 * 1024 * 1024);
    const other = await DashboardBrowser.signIn(scene.one.http.url, STRANGER);
    const theirs = `/dashboard/stores/${scene.foreign.id}/wallets/picture`;
    await other.request('GET', '/dashboard/account?lang=en');
    let isOver = false;
    const attack = send(bytes).finally(() => (isOver = true));
    // Others are answered meanwhile: the process does not stand still.
    let answered = 0;
    const asking = (async () => {
      while (!isOver) {
        expect((await scene.one.http.get('/health/live')).status).toBe(200);
        answered += 1;
      }
    })();
    const honest = await other.request('POST', theirs, {
      withToken: true,
      file: { name: 'picture', bytes: drawQrCodes(SHOP_QR) },
    });
    expect([honest.status, honest.text.includes('Dhaka Books')]).toEqual([200, true]);
    const refused = await attack;
    await asking;
    expect(refused.status).toBe(400);
    expect(answered).toBeGreaterThan(0);
    // What it took is given back.
    expect((await send(drawQrCodes(SHOP_QR))).status).toBe(200);
  });

  it('is not even received from who may not save it', async () => {
    const bytes = drawQrCodes(SHOP_QR);
    expect((await send(bytes, merchant, false)).status).toBe(403);
    const stranger = await DashboardBrowser.signIn(scene.one.http.url, STRANGER);
    expect((await send(bytes, stranger)).status).toBe(404);
    expect((await send(bytes, new DashboardBrowser(scene.one.http.url))).status).toBe(303);
    const far = await merchant.request('POST', path(), {
      withToken: true,
      headers: { 'Sec-Fetch-Site': 'cross-site' },
      file: { name: 'picture', bytes },
    });
    expect(far.status).toBe(403);
    expect((await send(Buffer.alloc(9 * 1024 * 1024))).status).toBe(413);
  });
});
