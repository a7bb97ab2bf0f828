import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressVerdict, checkWebhookUrl, literalAddress } from './outbound-address.js';

/*
 * Rules: contract 7.60, 7.61, 7.64, 7.66, 7.67.
 */

const STRICT = { allowPrivate: false };
const LAX = { allowPrivate: true };

describe('checkWebhookUrl for public receivers', () => {
  it.each([
    ['https://shop.example/hook', 'https://shop.example/hook'],
    ['http://shop.example', 'http://shop.example/'],
    ['https://shop.example:8443/hook?order=1#part', 'https://shop.example:8443/hook?order=1#part'],
    ['http://shop.example:443/hook', 'http://shop.example:443/hook'],
    ['HTTPS://SHOP.EXAMPLE:443/Hook', 'https://shop.example/Hook'],
    ['https://shop.example./hook', 'https://shop.example/hook'],
    ['https://দোকান.example/', 'https://xn--p5b7ah1gxc.example/'],
    ['https://shop.example/@user', 'https://shop.example/@user'],
    ['https://shop.example?mail=a@b.example', 'https://shop.example/?mail=a@b.example'],
    ['https://localhost.example/', 'https://localhost.example/'],
  ])('accepts %s', (input, normalised) => {
    expect(verdictHref(input, STRICT)).toBe(normalised);
  });

  it.each([
    // No absolute http or https URL.
    '',
    'shop.example/hook',
    '/hook',
    '//shop.example/hook',
    'https://',
    'https:///',
    'https://./',
    'https://shop..example/',
    'https://shop.example../',
    'https://shop.example:99999/',
    'https://1.2.3.4.5/',
    'https://256.1.1.1/',
    'https://[fe80::1%25eth0]/',
    'ftp://shop.example/',
    'file:///etc/passwd',
    'gopher://shop.example:443/',
    'javascript:alert(1)',
    'data:text/plain,hook',
    'ws://shop.example/',
    'blob:https://shop.example/1',
    // Literals, public ones included: a store names a host, whose certificate and address can change.
    'https://8.8.8.8/hook',
    'https://134744072/hook',
    'https://[2606:4700::1111]/hook',
    'https://[::ffff:8.8.8.8]/hook',
    'https://[64:ff9b::8.8.8.8]/hook',
    // Userinfo, the empty one included.
    'https://user@shop.example/',
    'https://user:secret@shop.example/',
    'https://:secret@shop.example/',
    'https://@shop.example/',
    'https:\\\\@shop.example/',
    'https:user@shop.example/',
    'https://shop.example@127.0.0.1/',
    'https://127.0.0.1#@shop.example/',
    'https://127.0.0.1\\@shop.example/',
    // Characters the parser would drop.
    'https://shop.example/\n',
    'https://shop\t.example/',
    'java\nscript:alert(1)',
    'https://shop.example/\u0000',
    // Ports.
    'https://shop.example:22/',
    'https://shop.example:0/',
    'http://shop.example:8080/',
    'http://shop.example:5432/',
    // Loopback in other spellings.
    'http://127.0.0.1/',
    'http://127.0.0.1./',
    'http://127.1/',
    'http://127.0.1/',
    'http://0x7f.1/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://2130706433/',
    'http://127.255.255.254/',
    'http://%31%32%37.0.0.1/',
    'http://１２７.０.０.１/',
    'http://①②⑦。0。0。1/',
    'http:\\\\127.0.0.1\\',
    'http:127.0.0.1',
    ' http://127.0.0.1/ ',
    'http://0/',
    'http://0.0.0.0/',
    'http://[::]/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[0000:0000::0001]/',
    'http://localhost/',
    'http://LOCALHOST/',
    'http://localhost./',
    'http://ｌocalhost/',
    'http://api.localhost/',
    'http://a.b.localhost./',
    'http://localhost.localdomain/',
    'http://ip6-localhost/',
    // Other addresses that are not public, and embeddings.
    'http://10.0.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1/',
    'http://100.64.0.1/',
    'http://169.254.1.1/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[::127.0.0.1]/',
    'http://[::8.8.8.8]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[64:ff9b::a00:1]/',
    'http://[64:ff9b:1::7f00:1]/',
    'http://[64:ff9b:1:7f00:0:100::]/',
    'http://[2002:7f00:1::]/',
    'http://[2002:808:808::1]/',
    'http://[2001:0:808:808::80ff:fffe]/',
    'http://[2001:db8::1]/',
    'http://[2606:4700::5efe:7f00:1]/',
    'http://[2606:4700::200:5efe:a00:1]/',
    'http://[fc00::1]/',
    'http://[fd12:3456::1]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://[100::1]/',
    'http://[4000::1]/',
  ])('refuses %j', (input) => {
    expect(verdictHref(input, STRICT)).toBeNull();
  });

  it('counts characters up to 2,048', () => {
    const start = 'https://shop.example/';
    expect(checkWebhookUrl(start + 'খ'.repeat(2048 - start.length), STRICT).allowed).toBe(true);
    expect(checkWebhookUrl(start + 'a'.repeat(2049 - start.length), LAX).allowed).toBe(false);
  });

  it('says what is wrong in words a merchant can act on', () => {
    expect(checkWebhookUrl('https://shop.example:22/', STRICT)).toEqual({
      allowed: false,
      reason: 'must use port 80, 443 or 8443',
    });
  });
});

describe('checkWebhookUrl with allowPrivate', () => {
  it.each([
    'http://localhost:4000/hook',
    'http://api.localhost:4000/',
    'http://127.0.0.1:9/',
    'http://2130706433:5432/',
    'http://[::1]:4000/',
    'http://192.168.1.10:8080/',
    'http://host.docker.internal:3000/',
    'http://[::ffff:10.0.0.1]/',
    'http://169.254.1.1/',
  ])('accepts %s', (input) => {
    expect(verdictHref(input, LAX)).not.toBeNull();
  });

  it.each([
    'ftp://127.0.0.1/',
    'http://user@127.0.0.1/',
    'http://@127.0.0.1/',
    'http://127.0.0.1/\r\n',
    'nonsense',
  ])('still refuses %j', (input) => {
    expect(verdictHref(input, LAX)).toBeNull();
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://169.254.169.254./',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://169.254.43518/',
    'http://169.254.170.2/v2/credentials',
    'http://169.254.170.23/',
    'http://168.63.129.16/',
    'http://100.100.100.200/',
    'http://192.0.0.192/',
    'http://[fd00:ec2::254]/',
    'http://[fd00:ec2:0:0::254]/',
    'http://[fd20:ce::254]/',
    'http://[fe80::a9fe:a9fe]/',
    'http://[fd00:c1::a9fe:a9fe]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[::169.254.169.254]/',
    'http://[::ffff:0:a9fe:a9fe]/',
    'http://[64:ff9b::169.254.169.254]/',
    'http://[64:ff9b:1::a9fe:a9fe]/',
    'http://[64:ff9b:1:a9fe:a9:fe00::]/',
    'http://[2001:db8:122:344::a9fe:a9fe]/',
    'http://[2001:db8:122:344:a9:fea9:fe00:0]/',
    'http://[2001:db8:a9fe:a9fe::]/',
    'http://[2002:a9fe:a9fe::]/',
    'http://[2002:a83f:8110::1]/',
    'http://[2001:0:a9fe:a9fe::1]/',
    'http://[2001:0:808:808::5601:5601]/',
    'http://[fe80::5efe:a9fe:a9fe]/',
    'http://[2606:4700::200:5efe:169.254.169.254]/',
    'http://metadata.google.internal/',
    'http://METADATA.google.internal./',
    'http://metadata/',
    'http://instance-data/',
  ])('never accepts the metadata service %s', (input) => {
    for (const policy of [LAX, STRICT]) {
      const verdict = checkWebhookUrl(input, policy);
      expect(verdict).toEqual({ allowed: false, reason: 'must not name a metadata service' });
    }
  });
});

describe('addressVerdict', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '103.4.5.6',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '2A00:1450::1',
  ])('lets %s through', (address) => {
    expect(addressVerdict(address, STRICT)).toEqual({ allowed: true });
  });

  it.each([
    '127.0.0.1',
    '0.0.0.0',
    '10.1.2.3',
    '192.0.2.1',
    '192.88.99.1',
    '203.0.113.7',
    '::',
    '::1',
    '::7f00:1',
    '::127.0.0.1',
    '::8.8.8.8',
    '::ffff:192.168.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::8.8.8.8',
    '2002:808:808::1',
    '2001:0:808:808::1',
    '2001:db8::1',
    '3fff::1',
    'fe80::1',
    'fe80::1%eth0',
    'fe80::1%eth0.100',
    '5f00::1',
  ])('holds %s back as private, unless private is allowed', (address) => {
    expect(addressVerdict(address, STRICT)).toEqual({ allowed: false, reason: 'private' });
    expect(addressVerdict(address, LAX)).toEqual({ allowed: true });
  });

  it.each([
    '169.254.169.254',
    '168.63.129.16',
    '::ffff:168.63.129.16',
    'fd00:ec2::254',
    'fe80::a9fe:a9fe%eth0',
  ])('never lets the metadata service %s through', (address) => {
    expect(addressVerdict(address, STRICT)).toEqual({ allowed: false, reason: 'metadata' });
    expect(addressVerdict(address, LAX)).toEqual({ allowed: false, reason: 'metadata' });
  });

  it.each([
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '010.0.0.1',
    '2130706433',
    '[::1]',
    '8.8.8.8:80',
    '8.8.8.8 ',
  ])('takes %j for no address, so that nothing looks it up', (address) => {
    expect(addressVerdict(address, LAX)).toEqual({ allowed: false, reason: 'invalid' });
  });

  it('judges an IPv4 address alike in its plain, mapped and NAT64 form', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.boolean(), (address, allowPrivate) => {
        const verdict = addressVerdict(address, { allowPrivate });
        expect(addressVerdict(`::ffff:${address}`, { allowPrivate })).toEqual(verdict);
        expect(addressVerdict(`64:ff9b::${address}`, { allowPrivate })).toEqual(verdict);
      }),
    );
  });

  it('lets IPv6 through only inside 2000::/3, mapped and NAT64 aside', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        if (!addressVerdict(address, STRICT).allowed) return;
        const canonical = new URL(`http://[${address}]`).hostname;
        expect(canonical).toMatch(/^\[(?:[23][0-9a-f]{3}:|::ffff:|64:ff9b::)/);
      }),
    );
  });
});

describe('literalAddress', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '::1'],
    ['shop.example', null],
    ['[shop.example]', null],
  ])('reads %s', (hostname, address) => {
    expect(literalAddress(hostname)).toBe(address);
  });
});

function verdictHref(input: string, policy: { allowPrivate: boolean }): string | null {
  const verdict = checkWebhookUrl(input, policy);
  return verdict.allowed ? verdict.url.href : null;
}
