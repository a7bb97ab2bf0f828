import { beforeAll, describe, expect, it } from 'vitest';
import { LinkFormsRetention } from '../../../src/payment-links/link-forms-retention.js';
import { HOUR_MS, MINUTE_MS } from '../../support/money-clock.js';
import { createStore, createUser, startTestApp } from '../../support/test-app.js';
import { newTrxId, type Shop } from '../../support/money-shop.js';
import { useService } from '../../support/use-shop.js';

/*
 * Rules: contract 11.1 to 11.18.
 *
 * Goal: a link is a whole integration: it becomes payments, counts them rightly, and cannot be used to fill a store
 * (contract section 11). Method: two replicas on one database, the API and the page as a browser without scripts uses
 * it.
 */

interface LinkAnswer {
  readonly id: string;
  readonly storeId: string;
  readonly slug: string;
  readonly url: string;
  readonly active: boolean;
  readonly verifiedCount: number;
  readonly verifiedAmount: number;
  readonly code?: string;
  readonly errors?: readonly { pointer: string }[];
}

// A proxy names the client's address, so that each request can come from another one.
const service = useService({ environment: { TRUST_PROXY: '127.0.0.1' } });
let shop: Shop;

beforeAll(async () => {
  shop = await service.openShop({ name: 'Dhaka Books' });
});

const API = '/api/v1/payment-links';

async function makeLink(body: Record<string, unknown> = {}, of: Shop = shop): Promise<LinkAnswer> {
  const answer = await of.http.post<LinkAnswer>(
    API,
    { title: 'Red saree', amount: 500, ...body },
    of.store.key,
  );
  if (answer.status !== 201) throw new Error(`Making a link was answered ${answer.status}: ${answer.text}`);
  return answer.body;
}

async function getLink(id: string, of: Shop = shop): Promise<LinkAnswer> {
  return (await of.http.get<LinkAnswer>(`${API}/${id}`, of.store.key)).body;
}

async function change(id: string, body: unknown, of: Shop = shop) {
  return of.http.request<LinkAnswer>('PATCH', `${API}/${id}`, { headers: of.store.key, body });
}

function open(slug: string, query = '?lang=en') {
  return shop.http.get(`/l/${slug}${query}`);
}

/** Sends the fields as a browser sends a form. */
function send(slug: string, fields: Record<string, string>, from = '203.0.113.7') {
  return shop.http.request('POST', `/l/${slug}?lang=en`, {
    text: new URLSearchParams(fields).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Forwarded-For': from },
  });
}

/** The hidden fields of the page's form. */
async function tokenOf(slug: string): Promise<Record<string, string>> {
  const { text } = await open(slug);
  const fields = [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]+)"/g)];
  expect(fields.length).toBe(1);
  return Object.fromEntries(fields.map(([, name, value]) => [name!, value!]));
}

/** The payment that an answer leads to. */
function ledTo(answer: { status: number; headers: Headers }): string {
  expect(answer.status).toBe(303);
  const [, id] = /^\/pay\/([0-9a-f-]{36})\?lang=en$/.exec(answer.headers.get('location') ?? '') ?? [];
  if (id === undefined) throw new Error(`It leads to ${answer.headers.get('location')}.`);
  return id;
}

async function pay(paymentId: string, amount: number, of: Shop = shop): Promise<void> {
  const trxId = newTrxId();
  await of.submit(paymentId, { trxId });
  expect((await of.receipt({ trxId, amount })).body.status).toBe('matched');
}

describe('links of a shop', () => {
  it('are created with everything, answered in full, and given back as they were sent', async () => {
    const body = {
      title: 'লাল শাড়ি',
      amount: 1250.5,
      note: 'Delivery included',
      products: [{ name: 'Saree', quantity: 1, price: 1250.5, sku: 'S-1' }],
      metadata: { campaign: 'eid' },
      provider: 'bkash',
      redirectUrl: 'https://shop.example.com/thanks',
      maxPayments: 3,
      expiresAt: '2030-01-01T00:00:00Z',
      askName: true,
      askPhone: true,
      slug: 'lal-saree',
    };
    const answer = await shop.http.post<LinkAnswer>(API, body, shop.store.key);
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.body)).toEqual([
      ...['id', 'storeId', 'slug', 'url', 'title', 'amount', 'minAmount', 'maxAmount', 'note', 'products'],
      ...['metadata', 'provider', 'redirectUrl', 'maxPayments', 'expiresAt', 'askName', 'askPhone', 'active'],
      ...['verifiedCount', 'verifiedAmount', 'createdAt'],
    ]);
    expect(answer.body).toMatchObject({
      ...body,
      expiresAt: '2030-01-01T00:00:00.000Z',
      storeId: shop.store.id,
      minAmount: null,
      maxAmount: null,
      active: true,
      verifiedCount: 0,
      verifiedAmount: 0,
    });
    expect(answer.text).toContain('[{"name":"Saree","quantity":1,"price":1250.5,"sku":"S-1"}]');
    expect(answer.body.url.endsWith('/l/lal-saree')).toBe(true);
    const plain = await makeLink({ amount: undefined });
    expect(plain.slug).toMatch(/^[a-z0-9]{10}$/);
    expect(plain).toMatchObject({
      amount: null,
      note: null,
      askName: false,
      askPhone: false,
      expiresAt: null,
    });
    expect(plain).not.toHaveProperty('products');
  });

  it('refuse what is wrong, and a slug that is taken anywhere', async () => {
    const wrong: Record<string, unknown>[] = [
      { title: '' },
      { title: 'x'.repeat(201) },
      { amount: 0 },
      { amount: 5, minAmount: 1 },
      { amount: undefined, minAmount: 5, maxAmount: 4 },
      { slug: 'Red' },
      { slug: 'ab' },
      { products: {} },
      { metadata: [] },
      { provider: 'B' },
      { redirectUrl: 'javascript:alert(1)' },
      { maxPayments: 0 },
      { expiresAt: 'soon' },
      { askName: 'yes' },
      { unknown: 1 },
    ];
    for (const body of wrong) {
      const answer = await shop.http.post<LinkAnswer>(
        API,
        { title: 'A', amount: 5, ...body },
        shop.store.key,
      );
      expect([body, answer.status]).toEqual([body, 400]);
    }
    await makeLink({ slug: 'taken-slug' });
    const elsewhere = await service.openShop();
    const taken = await elsewhere.http.post<LinkAnswer>(
      API,
      { title: 'A', slug: 'taken-slug' },
      elsewhere.store.key,
    );
    expect([taken.status, taken.body.code]).toEqual([409, 'link.slug_taken']);
  });

  it('can be listed, changed and switched off, by their store alone', async () => {
    const link = await makeLink({ note: 'Old', maxPayments: 5 });
    const changed = await change(link.id, {
      title: 'New title',
      note: null,
      maxPayments: null,
      expiresAt: '2031-01-01T00:00:00Z',
      redirectUrl: 'https://shop.example.com/x',
      active: false,
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ title: 'New title', note: null, maxPayments: null, active: false });
    for (const body of [{ amount: 5 }, { slug: 'other-slug' }, { title: null }, { active: null }])
      expect([body, (await change(link.id, body)).status]).toEqual([body, 400]);
    const listed = await shop.http.get<{ data: LinkAnswer[]; nextCursor: string | null }>(
      `${API}?limit=1`,
      shop.store.key,
    );
    expect(listed.body.data.map(({ id }) => id)).toEqual([link.id]);
    expect(listed.body.nextCursor).not.toBeNull();
    const stranger = await service.openShop();
    for (const method of ['GET', 'PATCH']) {
      const answer = await shop.http.request<LinkAnswer>(method, `${API}/${link.id}`, {
        headers: stranger.store.key,
        ...(method === 'PATCH' ? { body: { active: true } } : {}),
      });
      expect([method, answer.status, answer.body.code]).toEqual([method, 404, 'link.not_found']);
    }
  });

  it('are for users, too, and what they do is audited', async () => {
    const path = `/api/v1/stores/${shop.store.id}/payment-links`;
    const admin = await shop.admin();
    const made = await shop.http.post<LinkAnswer>(path, { title: 'By hand', amount: 10 }, admin);
    expect(made.status).toBe(201);
    const off = await shop.http.request<LinkAnswer>('PATCH', `${path}/${made.body.id}`, {
      headers: admin,
      body: { active: false },
    });
    expect(off.body.active).toBe(false);
    expect((await shop.http.get(`${path}/${made.body.id}`, admin)).status).toBe(200);
    const lines = (await shop.auditLog()).map(({ action }) => action);
    expect(lines.slice(0, 2)).toEqual(['payment_link.updated', 'payment_link.created']);
    const qr = await shop.http.get(`${path}/${made.body.id}/qr`, admin);
    expect([qr.status, qr.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(qr.text).toMatch(/^<svg\s+xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  });
});

/** A link of a merchant who has been deactivated since. */
async function linkOfInactiveOwner(): Promise<LinkAnswer> {
  const { http } = service.test;
  const admin = await shop.admin();
  const user = await createUser(http, admin);
  const theirs = await createStore(http, admin, { ownerId: user.id });
  const made = await http.post<LinkAnswer>(API, { title: 'Theirs', amount: 5 }, theirs.key);
  await http.request('PATCH', `/api/v1/users/${user.id}`, { headers: admin, body: { active: false } });
  return made.body;
}

describe('the page of a link', () => {
  it('shows what is to be paid, and makes a payment of it', async () => {
    const link = await makeLink({
      title: 'Red <saree>',
      note: 'Delivery included',
      products: [{ name: 'Saree', quantity: 2, price: 250 }],
      metadata: { campaign: 'eid' },
      provider: 'nagad',
      redirectUrl: 'https://shop.example.com/thanks',
      askName: true,
      askPhone: true,
    });
    const page = await open(link.slug);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const text of ['Dhaka Books', 'Red &lt;saree&gt;', '৳500.00', 'Delivery included', 'Saree'])
      expect(page.text).toContain(text);
    expect(page.text).not.toContain('<script');
    const fields = { ...(await tokenOf(link.slug)), name: 'Rahim Uddin', phone: '০১৭০০০০০০০২' };
    const id = ledTo(await send(link.slug, fields));
    const payment = await shop.http.get(`/api/v1/payments/${id}`, shop.store.key);
    expect(payment.body).toMatchObject({
      status: 'pending',
      amount: 500,
      currency: 'BDT',
      provider: 'nagad',
      customerName: 'Rahim Uddin',
      customerPhone: '01700000002',
      note: 'Delivery included',
      products: [{ name: 'Saree', quantity: 2, price: 250 }],
      metadata: { campaign: 'eid' },
      redirectUrl: 'https://shop.example.com/thanks',
      paymentLinkId: link.id,
    });
    expect((await shop.create()) as unknown as { paymentLinkId: string | null }).toMatchObject({
      paymentLinkId: null,
    });
    const filtered = await shop.http.get<{ data: { id: string }[] }>(
      `/api/v1/payments?paymentLinkId=${link.id}`,
      shop.store.key,
    );
    expect(filtered.body.data.map((found) => found.id)).toEqual([id]);
  });

  it('speaks Bangla first', async () => {
    const link = await makeLink();
    const page = await shop.http.get(`/l/${link.slug}`);
    expect(page.text).toContain('<html lang="bn">');
    expect(page.text).toContain('৳৫০০.০০');
  });

  it('takes the amount of the link, whatever amount the form brings', async () => {
    const link = await makeLink();
    const id = ledTo(await send(link.slug, { ...(await tokenOf(link.slug)), amount: '1' }));
    expect((await shop.get(id)).amount).toBe(500);
  });

  it('is limited by RATE_LIMIT_PUBLIC, its form too', async () => {
    const link = await makeLink();
    const { database } = service.test;
    const app = await startTestApp({ database, environment: { RATE_LIMIT_PUBLIC: '2/1m' } });
    try {
      const ask = async (method: string) => (await app.http.request(method, `/l/${link.slug}`)).status;
      expect([await ask('GET'), await ask('GET'), await ask('GET')]).toEqual([200, 200, 429]);
      expect(await ask('POST')).toBe(429);
    } finally {
      await app.close();
    }
  });

  it('comes again with 400 where what was typed cannot be taken', async () => {
    const link = await makeLink({ amount: undefined, minAmount: 100, maxAmount: 1000, askName: true });
    for (const amount of ['99.99', '1000.01', '', 'abc', '100.001', '-100']) {
      const answer = await send(link.slug, { amount, name: '<b>Karim</b>' });
      expect([amount, answer.status]).toEqual([amount, 400]);
      expect(answer.text).toContain('aria-invalid="true"');
      expect(answer.text).toContain('&lt;b&gt;Karim&lt;/b&gt;');
    }
    expect((await send(link.slug, { amount: '100' })).status).toBe(400);
    const id = ledTo(await send(link.slug, { amount: '1,000.00', name: 'Karim' }));
    expect((await shop.get(id)).amount).toBe(1000);
    const listed = await shop.http.get<{ data: unknown[] }>(
      `/api/v1/payments?paymentLinkId=${link.id}`,
      shop.store.key,
    );
    expect(listed.body.data.length).toBe(1);
  });

  it('is a page that says so for an unknown link, and a way back for one with a slash or a capital', async () => {
    for (const slug of ['no-such-link', 'a', 'x'.repeat(61), '%00%00%00']) {
      const answer = await open(slug);
      expect([slug, answer.status, answer.headers.get('content-type')]).toEqual([
        slug,
        404,
        'text/html; charset=utf-8',
      ]);
    }
    expect((await send('no-such-link', { amount: '5' })).status).toBe(404);
    const link = await makeLink({ slug: 'with-slash' });
    const slashed = await open(`${link.slug}/`);
    expect([slashed.status, slashed.headers.get('location')]).toEqual([308, '/l/with-slash?lang=en']);
    expect((await open(`${link.slug}/more`)).status).toBe(404);
    expect((await open('With-Slash')).status).toBe(200);
  });

  it('is 410 when the link is off, over or used up, or its store archived', async () => {
    const off = await makeLink();
    await change(off.id, { active: false });
    const over = await makeLink({
      expiresAt: new Date(service.clock.now().getTime() + MINUTE_MS).toISOString(),
    });
    service.clock.advance(MINUTE_MS);
    const other = await service.openShop();
    const archived = await makeLink({}, other);
    await shop.http.request('DELETE', `/api/v1/stores/${other.store.id}`, { headers: await shop.admin() });
    const inactive = await linkOfInactiveOwner();
    for (const { slug } of [off, over, archived, inactive]) {
      const [page, sent] = [await open(slug), await send(slug, {})];
      expect([slug, page.status, sent.status]).toEqual([slug, 410, 410]);
      expect(page.text).toContain('Do not send money');
    }
    await change(off.id, { active: true });
    expect((await open(off.slug)).status).toBe(200);
  });
});

describe('a form', () => {
  it('that is sent twice, at once or later, leads to the same payment', async () => {
    const link = await makeLink();
    const fields = await tokenOf(link.slug);
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(link.slug, fields)));
    const [id, ...others] = answers.map(ledTo);
    expect(new Set(others)).toEqual(new Set([id]));
    expect(ledTo(await send(link.slug, fields, '198.51.100.9'))).toBe(id);
    await change(link.id, { active: false });
    expect(ledTo(await send(link.slug, fields))).toBe(id);
    expect((await send(link.slug, {})).status).toBe(410);
  });

  it('is forgotten after a month, in small batches, and not before', async () => {
    const link = await makeLink();
    const [kept, old] = [await tokenOf(link.slug), await tokenOf(link.slug)];
    const [keptId, oldId] = [ledTo(await send(link.slug, kept)), ledTo(await send(link.slug, old))];
    const { database } = service.test;
    const ago = (days: number) => new Date(service.clock.now().getTime() - days * 24 * HOUR_MS);
    const set = 'UPDATE payment_link_forms SET created_at = $2 WHERE payment_id = $1';
    await database.query(set, [keptId, ago(29)]);
    await database.query(set, [oldId, ago(31)]);
    await database.query(
      `INSERT INTO payment_link_forms (store_id, link_id, form_key, payment_id, address, created_at)
       SELECT $1, $2, 'old ' || number, gen_random_uuid(), '203.0.113.9', $3 FROM generate_series(1, 1100) number`,
      [shop.store.id, link.id, ago(40)],
    );
    await Promise.all(service.replicas.map((replica) => replica.app.get(LinkFormsRetention).run()));
    const left = await database.query<{ payment_id: string }>(
      'SELECT payment_id FROM payment_link_forms WHERE link_id = $1',
      [link.id],
    );
    expect(left.map((row) => row.payment_id)).toEqual([keptId]);
    expect(ledTo(await send(link.slug, kept))).toBe(keptId);
  });

  it('that says something else is another payment', async () => {
    const link = await makeLink({ amount: undefined });
    const fields = await tokenOf(link.slug);
    const one = ledTo(await send(link.slug, { ...fields, amount: '100' }));
    const other = ledTo(await send(link.slug, { ...fields, amount: '101' }));
    expect(other).not.toBe(one);
    expect(ledTo(await send(link.slug, { ...fields, amount: '১০০' }))).toBe(one);
  });
});

describe('limits of a link', () => {
  it('let an address have five open payments of a link, however fast it asks', async () => {
    const link = await makeLink();
    const answers = await Promise.all(Array.from({ length: 9 }, () => send(link.slug, {})));
    const ids = answers.filter(({ status }) => status === 303).map(ledTo);
    expect(ids.length).toBe(5);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBe(4);
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused[0]?.headers.get('content-type')).toContain('text/html');
    // Another link, and another address, have their own count; what is submitted is still open.
    expect((await send((await makeLink()).slug, {})).status).toBe(303);
    await shop.submit(ids[0]!, { trxId: newTrxId() });
    expect((await send(link.slug, {})).status).toBe(429);
    await pay(ids[1]!, 500);
    expect((await send(link.slug, {})).status).toBe(303);
    expect((await send(link.slug, {})).status).toBe(429);
    service.clock.advance(12 * HOUR_MS);
    expect((await send(link.slug, {})).status).toBe(303);
  });

  it('take no new payments once enough are verified; money for open ones still counts', async () => {
    const link = await makeLink({ maxPayments: 2 });
    const ids = [];
    for (let made = 0; made < 3; made += 1) ids.push(ledTo(await send(link.slug, {})));
    await pay(ids[0]!, 500);
    expect((await open(link.slug)).status).toBe(200);
    await pay(ids[1]!, 500);
    expect((await open(link.slug)).status).toBe(410);
    expect((await send(link.slug, {})).status).toBe(410);
    await pay(ids[2]!, 500);
    expect(await getLink(link.id)).toMatchObject({ verifiedCount: 3, verifiedAmount: 1500 });
  });

  it('count rightly under simultaneous verifications', async () => {
    const link = await makeLink({ amount: undefined });
    const amounts = [10, 20.5, 30, 40.25, 50];
    const ids = await Promise.all(
      amounts.map(async (amount) => ledTo(await send(link.slug, { amount: String(amount) }))),
    );
    await Promise.all(ids.map((id, at) => pay(id, amounts[at]!)));
    expect(await getLink(link.id)).toMatchObject({ verifiedCount: 5, verifiedAmount: 150.75 });
    const listed = await shop.http.get<{ data: LinkAnswer[] }>(`${API}?limit=1`, shop.store.key);
    expect(listed.body.data[0]).toMatchObject({ id: link.id, verifiedCount: 5, verifiedAmount: 150.75 });
  });
});
