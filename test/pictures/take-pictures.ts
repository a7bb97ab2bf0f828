import { mkdir } from 'node:fs/promises';
import { it } from 'vitest';
import { closeBrowser, launchBrowser } from '../support/browser.js';
import { MERCHANT, signInOnPage, startDashboardScene } from '../support/dashboard-scene.js';

/* `npm run docs:pictures`: takes the pictures of the documents from the running product. */

const FOLDER = 'docs/pictures';
const NAMES = [
  'Rahim Uddin',
  'Shila Begum',
  'Nusrat Jahan',
  'Tanvir Hasan',
  'Moushumi Akter',
  'Kamal Hossain',
];
const MINUTES_APART = 25;

it('takes the pictures', { timeout: 120_000 }, async () => {
  await mkdir(FOLDER, { recursive: true });
  const scene = await startDashboardScene();
  try {
    for (const [index, customerName] of NAMES.entries()) {
      const amount = 450 + index * 175;
      const id = await scene.createPayment({ amount, customerName, note: `Order ${1001 + index}` });
      const trxId = `DIJ${index}MXAHCJ`;
      await scene.submit(id, { trxId });
      if (index < 4) await scene.receive({ trxId, amount: index === 2 ? amount - 50 : amount });
      scene.clock.advance(MINUTES_APART * 60_000);
    }
    const open = await scene.createPayment({
      amount: 1250,
      customerName: 'Farhana Islam',
      note: 'Order 1007',
    });
    await scene.one.http.post(
      '/api/webhooks/joma/heartbeat',
      { app: 'joma-phone', battery: 87, pending: 0 },
      scene.store.phone,
    );
    const browser = await launchBrowser();
    const phone = await browser.newContext({
      baseURL: scene.one.http.url,
      viewport: { width: 390, height: 844 },
      deviceScaleFactor: 2,
      locale: 'bn-BD',
    });
    const checkout = await phone.newPage();
    await checkout.goto(`/pay/${open}`);
    await checkout.screenshot({ path: `${FOLDER}/checkout.png` });
    const desk = await browser.newContext({
      baseURL: scene.one.http.url,
      viewport: { width: 1200, height: 800 },
      locale: 'en-GB',
    });
    const dashboard = await desk.newPage();
    await signInOnPage(dashboard, MERCHANT);
    await dashboard.goto(`/dashboard/stores/${scene.store.id}`);
    await dashboard.screenshot({ path: `${FOLDER}/dashboard.png` });
  } finally {
    await closeBrowser();
    await scene.close();
  }
});
