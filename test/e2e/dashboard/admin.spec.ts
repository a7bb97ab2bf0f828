import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guessDigits } from '../../support/guesses.js';
import { AuditLog } from '../../../src/platform/audit/index.js';
import { DashboardBrowser } from '../../support/dashboard-browser.js';
import {
  type DashboardScene,
  MERCHANT,
  startDashboardScene,
  STRANGER,
} from '../../support/dashboard-scene.js';
import { ADMIN_EMAIL, ADMIN_PASSWORD, signIn } from '../../support/test-app.js';

/*
 * Rules: contract 4.88, 10.16, 14.54.
 *
 * Goal: who must watch over a store, or over all of them, finds it on a page: what was done, whether the log of it
 * holds (contract 10.16 and 14.54). Method: the pages as a browser without a screen reads them.
 */

let scene: DashboardScene;
let merchant: DashboardBrowser;
let admin: DashboardBrowser;

beforeAll(async () => {
  scene = await startDashboardScene();
  merchant = await DashboardBrowser.signIn(scene.one.http.url, MERCHANT);
  admin = await DashboardBrowser.signIn(scene.one.http.url, { email: ADMIN_EMAIL, password: ADMIN_PASSWORD });
  for (const browser of [merchant, admin]) await browser.request('GET', '/dashboard/account?lang=en');
});
afterAll(() => scene.close());

const open = (path: string) => merchant.request('GET', `/dashboard/stores/${scene.store.id}${path}`);
const actionsIn = (text: string) =>
  [...text.matchAll(/<strong class="code">([^<]+)</g)].map(([, action]) => action);

describe('the audit log of a store', () => {
  it('is filtered by action, user and day', async () => {
    const { http } = scene.one;
    await http.get(`/api/v1/stores/${scene.store.id}/webhook-secret`, scene.merchant);
    expect(actionsIn((await open('/audit')).text)).toEqual(['webhook_secret.viewed', 'store.created']);
    for (const [query, actions] of [
      ['action=store.', ['store.created']],
      ['action=webhook_secret.viewed', ['webhook_secret.viewed']],
      ['action=viewed', []],
      ['person=RAHIMA@', ['webhook_secret.viewed', 'store.created']],
      ['person=karim', []],
      ['person=%25', []],
      ['day=2001-01-01', []],
      ['action=store.&person=rahima&day=', ['store.created']],
    ] as const)
      expect(actionsIn((await open(`/audit?${query}`)).text), query).toEqual(actions);
    const day = /datetime="([^"]+)"/.exec((await open('/audit')).text)?.[1] ?? '';
    const dhaka = new Date(new Date(day).getTime() + 6 * 3_600_000).toISOString().slice(0, 10);
    expect(actionsIn((await open(`/audit?day=${dhaka}`)).text)).toHaveLength(2);
    expect((await open('/audit?day=nonsense&cursor=x')).status).toBe(400);
  });

  it('says that its chain holds, and where it does not', async () => {
    const { database } = scene.one;
    expect((await open('/audit')).text).toContain('The chain holds: each of the 2 newest of 2 lines');
    const change = async (action: string) => {
      await database.query('ALTER TABLE audit_entries DISABLE TRIGGER USER');
      await database.query('UPDATE audit_entries SET action = $1 WHERE store_id = $2 AND position = 1', [
        action,
        scene.store.id,
      ]);
      await database.query('ALTER TABLE audit_entries ENABLE TRIGGER USER');
    };
    await change('store.renamed');
    const { text } = await open('/audit');
    expect(text).toMatch(/role="alert"[^]*The chain is broken at line 1/);
    await change('store.created');
    expect((await open('/audit')).text).toContain('The chain holds');
  });

  it('of many lines is looked at from the newest on, and as a whole after a press', async () => {
    const { http, app } = scene.one;
    const stranger = await signIn(http, STRANGER.email, STRANGER.password);
    for (let view = 0; view < 30; view += 1)
      await http.get(`/api/v1/stores/${scene.foreign.id}/webhook-secret`, stranger);
    const log = app.get(AuditLog);
    expect(await log.checkNewest(scene.foreign.id, 5)).toMatchObject({
      entries: 31,
      checked: 5,
      broken: null,
      head: { position: 31 },
    });
    const checked = await admin.request('GET', `/dashboard/stores/${scene.foreign.id}/audit?check=all`);
    expect(checked.text).toContain('each of the 31 newest of 31 lines');
    const next = /href="([^"]+)"[^>]*>Next</.exec(
      (await admin.request('GET', `/dashboard/stores/${scene.foreign.id}/audit?action=webhook_`)).text,
    )?.[1];
    const second = await admin.request('GET', next?.replaceAll('&amp;', '&') ?? '');
    expect(second.text).not.toContain('The chain holds');
    expect(actionsIn(second.text)).toEqual(Array(10).fill('webhook_secret.viewed'));
  });
});

describe('the log of what belongs to no store', () => {
  it('is a page for admins, filtered like a store’s', async () => {
    const { text } = await admin.request('GET', '/dashboard/audit');
    expect(text).toContain('The chain holds');
    expect(text).toContain('<h1>Security log</h1>');
    expect(actionsIn(text)).toContain('user.created');
    const filtered = await admin.request('GET', `/dashboard/audit?action=user.created&person=${ADMIN_EMAIL}`);
    expect(actionsIn(filtered.text)).toEqual(['user.created', 'user.created']);
    expect((await admin.request('GET', '/dashboard/stores')).text).toContain('href="/dashboard/audit"');
    expect((await merchant.request('GET', '/dashboard/stores')).text).not.toContain('/dashboard/audit');
    expect((await merchant.request('GET', '/dashboard/audit')).status).toBe(404);
  });
});

describe('the health of all stores', () => {
  it('names silent phones, addresses that fail or are paused, and protections, to admins alone', async () => {
    expect((await merchant.request('GET', '/dashboard/health')).status).toBe(404);
    const before = await admin.request('GET', '/dashboard/health');
    expect(before.text).toContain('No phone is silent');
    const { database } = scene.one;
    const at = (minutes: number) => new Date(scene.clock.now().getTime() + minutes * 60_000);
    const [mine, theirs] = [scene.store.id, scene.foreign.id];
    await database.query('UPDATE store_states SET waiting_since = $2 WHERE store_id = $1', [mine, at(-20)]);
    await database.query('UPDATE store_states SET waiting_since = $2 WHERE store_id = $1', [theirs, at(-10)]);
    expect((await admin.request('GET', '/dashboard/health')).text.match(/class="row-main"/g)).toHaveLength(1);
    await database.query('UPDATE store_states SET webhook_failing_since = $1', [at(-60)]);
    await database.query(`UPDATE stores SET webhook_url = 'https://shop.example.com/hook'`);
    await database.query(
      `UPDATE stores SET webhook_paused_at = $2, webhook_pause_reason = 'gone' WHERE id = $1`,
      [theirs, at(-5)],
    );
    await guessDigits(database, theirs, scene.clock.now());
    const { text } = await admin.request('GET', '/dashboard/health');
    const rows = [...text.matchAll(/<a href="\/dashboard\/stores\/([^"]+)">/g)].map(([, path]) => path);
    expect(rows).toEqual([`${mine}/phone`, `${mine}/deliveries`, `${theirs}/deliveries`, theirs]);
    for (const words of ['Silent phones', 'Failing webhook', 'Paused webhook', 'it is gone', '1,250.00'])
      expect(text).toContain(words);
    await database.query('UPDATE store_states SET phone_last_seen_at = $2 WHERE store_id = $1', [
      mine,
      at(-1),
    ]);
    await scene.one.http.request('DELETE', `/api/v1/stores/${theirs}`, {
      headers: await signIn(scene.one.http, STRANGER.email, STRANGER.password),
    });
    const after = await admin.request('GET', '/dashboard/health?lang=bn');
    expect(after.text).not.toContain('চুপ থাকা ফোন');
    expect(after.text).toContain('ব্যর্থ ওয়েবহুক ঠিকানা');
    expect(after.text).not.toContain('থেমে থাকা ওয়েবহুক ঠিকানা');
  });
});
