import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService } from '@nestjs/core';
import { RequestMethod } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DashboardScene,
  MERCHANT,
  startDashboardScene,
  STRANGER,
} from '../../support/dashboard-scene.js';
import { DashboardBrowser } from '../../support/dashboard-browser.js';
import { ADMIN_EMAIL, ADMIN_PASSWORD } from '../../support/test-app.js';
import { isAtLeast, MEMBER_ROLES, type StoreRole } from '../../../src/stores/index.js';

/*
 * Rules: contract 10.2, 10.7, 10.8, 10.11 to 10.15, 10.19, 10.28 to 10.32, 15.11.
 *
 * Goal: no page and no action of the dashboard is reached without a sign-in, for somebody else's store, without the
 * token of the session's own form, or from another site (contract 10.31). Method: the routes are read from the
 * controllers that carry the metadata of a page, so that a new one cannot be forgotten.
 */

interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly scope: 'public' | 'user' | 'admin' | 'store';
  /** The least role, where one is named; of an action its own, else its page's. */
  readonly role?: StoreRole;
  /** The action names its own. */
  readonly hasOwnRole: boolean;
}

let scene: DashboardScene;
let routes: Route[];
let merchant: DashboardBrowser;

beforeAll(async () => {
  scene = await startDashboardScene();
  routes = routesOf(scene);
  merchant = await DashboardBrowser.signIn(scene.one.http.url, MERCHANT);
});
afterAll(() => scene.close());

function routesOf({ one }: DashboardScene): Route[] {
  const controllers = one.app.get(DiscoveryService, { strict: false }).getControllers();
  return controllers.flatMap(({ metatype, instance }) => {
    const page =
      metatype === null
        ? undefined
        : (Reflect.getMetadata('joma:dashboard-page', metatype) as Route | undefined);
    if (page === undefined || metatype === null) return [];
    const base = `/${Reflect.getMetadata(PATH_METADATA, metatype) as string}`;
    const prototype = Object.getPrototypeOf(instance) as Record<string, unknown>;
    return Object.getOwnPropertyNames(prototype)
      .filter((name) => name !== 'constructor')
      .flatMap((name) => {
        const handler = prototype[name] as object;
        const path = Reflect.getMetadata(PATH_METADATA, handler) as string | undefined;
        if (path === undefined) return [];
        const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod;
        return [
          {
            method: method === RequestMethod.POST ? ('POST' as const) : ('GET' as const),
            path: `${base}/${path}`.replace(/\/+$/, '').replaceAll('//', '/'),
            scope: page.scope,
            ...roleOf(handler, page),
          },
        ];
      });
  });
}

function roleOf(handler: object, page: Pick<Route, 'role'>): Pick<Route, 'role' | 'hasOwnRole'> {
  const action = Reflect.getMetadata('joma:dashboard-action', handler) as Pick<Route, 'role'> | undefined;
  const role = action?.role ?? page.role;
  return { ...(role === undefined ? {} : { role }), hasOwnRole: action?.role !== undefined };
}

/** An address of a route: ids that are none of anybody's, in this store. */
function addressOf(route: Route, storeId: string): string {
  return route.path
    .replace(':storeId', storeId)
    .replace(':index', '0')
    .replace(/:(\w+)/g, '0193b3a0-7c00-7000-8000-000000000001');
}

describe('every route of the dashboard', () => {
  it('is known here', () => {
    expect(routes.length).toBeGreaterThan(40);
    expect(routes.filter(({ method }) => method === 'POST').length).toBeGreaterThan(15);
    expect(routes.map(({ path }) => path)).toContain('/dashboard/stores/:storeId/payments');
  });

  it('leads to the sign-in, and says nothing else, without one', async () => {
    const nobody = new DashboardBrowser(scene.one.http.url);
    for (const route of routes.filter(({ scope }) => scope !== 'public')) {
      const answer = await nobody.request(route.method, addressOf(route, scene.store.id));
      expect(answer.status, route.path).toBe(303);
      expect(answer.headers.get('location'), route.path).toMatch(/^\/dashboard\/sign-in(?:\?next=|$)/);
      expect(answer.headers.get('cache-control'), route.path).toBe('no-store');
    }
  });

  it('of a store is a 404 page for whoever may not see the store', async () => {
    for (const route of routes.filter(({ scope }) => scope === 'store')) {
      const answer = await merchant.request(route.method, addressOf(route, scene.foreign.id), {
        withToken: true,
      });
      expect(answer.status, route.path).toBe(404);
      expect(answer.headers.get('content-type'), route.path).toContain('text/html');
      expect(answer.text, route.path).not.toContain('Sylhet Tea');
    }
  });

  it('of the admin is a 404 page for a merchant', async () => {
    for (const route of routes.filter(({ scope }) => scope === 'admin')) {
      const answer = await merchant.request(route.method, addressOf(route, scene.store.id), {
        withToken: true,
      });
      expect(answer.status, route.path).toBe(404);
    }
  });

  it('that changes something is a 403 page without the token of this session’s forms', async () => {
    const stranger = await DashboardBrowser.signIn(scene.one.http.url, STRANGER);
    const admin = await DashboardBrowser.signIn(scene.one.http.url, {
      email: ADMIN_EMAIL,
      password: ADMIN_PASSWORD,
    });
    for (const route of routes.filter(({ method }) => method === 'POST')) {
      const browser = route.scope === 'admin' ? admin : merchant;
      const address = addressOf(route, scene.store.id);
      for (const token of ['', 'x', stranger.token]) {
        const answer = await browser.request('POST', address, { fields: { _token: token } });
        expect(answer.status, route.path).toBe(403);
        expect(answer.headers.get('content-type'), route.path).toContain('text/html');
      }
    }
  });

  it('that changes something is a 403 page from another site, whatever token comes', async () => {
    const { host } = new URL(scene.one.http.url);
    const foreign: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: `http://${host}.evil.example` },
    ];
    const admin = await DashboardBrowser.signIn(scene.one.http.url, {
      email: ADMIN_EMAIL,
      password: ADMIN_PASSWORD,
    });
    for (const route of routes.filter(({ method }) => method === 'POST')) {
      for (const headers of foreign) {
        const browser = route.scope === 'admin' ? admin : merchant;
        const answer = await browser.request('POST', addressOf(route, scene.store.id), {
          headers,
          withToken: true,
        });
        expect(answer.status, `${route.path} ${JSON.stringify(headers)}`).toBe(403);
      }
    }
  });

  it('of a store refuses whose role is too small, and says so; whoever may see it sees it', async () => {
    const { http } = scene.one;
    const { body: me } = await http.post<{ userId: string }>(
      `/api/v1/stores/${scene.store.id}/members`,
      { email: STRANGER.email, role: 'viewer' },
      scene.merchant,
    );
    const member = await DashboardBrowser.signIn(http.url, STRANGER);
    const ofStore = routes.filter(({ scope }) => scope === 'store');
    for (const role of MEMBER_ROLES) {
      const path = `/api/v1/stores/${scene.store.id}/members/${me.userId}`;
      await http.request('PATCH', path, { headers: scene.merchant, body: { role } });
      for (const route of ofStore) {
        const may = isAtLeast(role, route.role ?? 'viewer');
        if (may && route.method === 'POST') continue;
        const answer = await member.request(route.method, addressOf(route, scene.store.id), {
          withToken: true,
        });
        if (may) expect(answer.status, `${role} ${route.path}`).not.toBe(403);
        else expect(answer.status, `${role} ${route.path}`).toBe(403);
      }
    }
    await http.request('DELETE', `/api/v1/stores/${scene.store.id}/members/${me.userId}`, {
      headers: scene.merchant,
    });
  });

  it('that changes something in a store names the role it takes', () => {
    const unnamed = routes.filter(
      ({ method, scope, hasOwnRole }) => method === 'POST' && scope === 'store' && !hasOwnRole,
    );
    // It changes nothing: what a text would be taken for may be asked by whoever reads messages.
    expect(unnamed.map(({ path }) => path)).toEqual(['/dashboard/stores/:storeId/messages/try']);
  });

  it('is kept by nobody, and loads from this server alone', async () => {
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      const answer = await merchant.request('GET', addressOf(route, scene.store.id));
      expect(answer.headers.get('cache-control'), route.path).toBe('no-store');
      if (answer.headers.get('content-type')?.startsWith('text/html') !== true) continue;
      expect(answer.headers.get('content-security-policy'), route.path).toMatch(
        /^default-src 'none'; script-src 'self'/,
      );
    }
  });
});

describe('a session of the dashboard', () => {
  const page = '/dashboard/account';

  it('has a cookie that scripts cannot read and other sites do not send', async () => {
    const browser = await DashboardBrowser.signIn(scene.one.http.url, MERCHANT);
    expect(browser.lastCookie).toMatch(
      /^joma_session=[\w-]{43}; Path=\/dashboard; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    );
  });

  it('leads back to where the user was going, and to this server only', async () => {
    const browser = new DashboardBrowser(scene.one.http.url);
    const led = await browser.request('GET', '/dashboard/account?lang=en');
    const signIn = led.headers.get('location') ?? '';
    await browser.request('GET', signIn);
    expect((await browser.submitSignIn(MERCHANT, '/dashboard/account?lang=en')).headers.get('location')).toBe(
      '/dashboard/account?lang=en',
    );
    for (const next of [
      '//evil.example',
      'https://evil.example',
      '/dashboard//evil',
      '/dashboard\\evil',
      '/api/docs',
    ]) {
      const other = new DashboardBrowser(scene.one.http.url);
      await other.request('GET', '/dashboard/sign-in');
      expect((await other.submitSignIn(MERCHANT, next)).headers.get('location')).toBe('/dashboard');
    }
  });

  it('ends with a sign-out', async () => {
    const browser = await DashboardBrowser.signIn(scene.one.http.url, MERCHANT);
    expect((await browser.request('GET', page)).status).toBe(200);
    expect(
      (await browser.request('POST', '/dashboard/sign-out', { withToken: true, keepCookie: true })).status,
    ).toBe(303);
    expect((await browser.request('GET', page)).status).toBe(303);
  });

  it('ends with a deactivation, a new role and a new password elsewhere, with the very next request', async () => {
    const { http } = scene.one;
    const admin = (
      await http.post<{ accessToken: string }>('/api/v1/auth/login', {
        email: ADMIN_EMAIL,
        password: ADMIN_PASSWORD,
      })
    ).body;
    const asAdmin = { Authorization: `Bearer ${admin.accessToken}` };
    const user = {
      email: 'hasan@example.com',
      password: 'three quiet rivers',
      name: 'Hasan',
      role: 'merchant',
    };
    const { id } = (await http.post<{ id: string }>('/api/v1/users', user, asAdmin)).body;
    const change = (body: unknown) =>
      http.request('PATCH', `/api/v1/users/${id}`, { headers: asAdmin, body });
    const ways: (() => Promise<unknown>)[] = [
      () => change({ role: 'admin' }),
      async () => {
        const own = (
          await http.post<{ accessToken: string }>('/api/v1/auth/login', {
            email: user.email,
            password: user.password,
          })
        ).body;
        const headers = { Authorization: `Bearer ${own.accessToken}` };
        const body = { currentPassword: user.password, newPassword: 'four loud mountains' };
        user.password = body.newPassword;
        return http.post('/api/v1/auth/password', body, headers);
      },
      () => change({ active: false }),
    ];
    for (const way of ways) {
      const browser = await DashboardBrowser.signIn(http.url, user);
      expect((await browser.request('GET', page)).status).toBe(200);
      expect([200, 204]).toContain(((await way()) as { status: number }).status);
      expect((await browser.request('GET', page)).status).toBe(303);
    }
  });

  it('ends after 12 hours without use, and after 30 days in any case', async () => {
    const hourMs = 3_600_000;
    const browser = await DashboardBrowser.signIn(scene.one.http.url, MERCHANT);
    for (let hours = 0; hours < 30 * 24 - 11; hours += 11) {
      expect((await browser.request('GET', page)).status).toBe(200);
      scene.clock.advance(11 * hourMs);
    }
    scene.clock.advance(11 * hourMs);
    expect((await browser.request('GET', page)).status).toBe(303);
    const idle = await DashboardBrowser.signIn(scene.one.http.url, MERCHANT);
    scene.clock.advance(12 * hourMs);
    expect((await idle.request('GET', page)).status).toBe(303);
  });
});

describe('around the dashboard', () => {
  it('the only store of a user is the first page, and the list stays within reach', async () => {
    const browser = await DashboardBrowser.signIn(scene.one.http.url, STRANGER);
    const first = await browser.request('GET', '/dashboard');
    expect([first.status, first.headers.get('location')]).toEqual([
      303,
      `/dashboard/stores/${scene.foreign.id}`,
    ]);
    const list = await browser.request('GET', '/dashboard/stores');
    expect([list.status, list.text.includes('href="/dashboard/stores/new"')]).toEqual([200, true]);
  });

  it('the root leads to it, and an address that is none is a page', async () => {
    const root = await scene.one.http.get('/');
    expect([root.status, root.headers.get('location')]).toEqual([302, '/dashboard']);
    const slash = await scene.one.http.get('/dashboard/');
    expect([slash.status, slash.headers.get('location')]).toEqual([302, '/dashboard']);
    const missing = await scene.one.http.get('/dashboard/nothing');
    expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  });

  it('its files stay in caches for ever', async () => {
    const browser = new DashboardBrowser(scene.one.http.url);
    const { text } = await browser.request('GET', '/dashboard/sign-in');
    const files = [...text.matchAll(/(?:href|src)="(\/dashboard\/assets\/[^"]+)"/g)].map(
      ([, file]) => file ?? '',
    );
    expect(files).toHaveLength(3);
    for (const file of files) {
      const answer = await scene.one.http.get(file);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
  });
});
