import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError, loadConfiguration } from './load-configuration.js';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'joma-configuration-'));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfiguration({ DATA_DIR: dataDir, ...environment });
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

describe('loadConfiguration', () => {
  it('has the published defaults when nothing is set', () => {
    const configuration = loadConfiguration({ DATA_DIR: dataDir });
    expect(configuration).toMatchObject({
      production: false,
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://localhost:3000',
      databaseUrl: null,
      serviceName: 'joma',
      paymentTtlMs: 3_600_000,
      submissionGraceMs: 86_400_000,
      qrWindowMs: 180_000,
      webhookTimeoutMs: 8_000,
      webhookAllowPrivate: true,
      rateLimitPublic: { count: 60, windowMs: 60_000 },
      rateLimitLogin: { count: 10, windowMs: 60_000 },
      logLevel: 'info',
    });
    expect(configuration.webhookRetryScheduleMs).toHaveLength(13);
    expect(Object.isFrozen(configuration)).toBe(true);
  });

  it('generates development secrets once, readable by their owner alone', () => {
    const first = loadConfiguration({ DATA_DIR: dataDir });
    const second = loadConfiguration({ DATA_DIR: dataDir });
    expect(second.jwtSecret).toBe(first.jwtSecret);
    expect(second.encryptionKey.equals(first.encryptionKey)).toBe(true);
    expect(statSync(join(dataDir, 'jwt-secret')).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, 'encryption-key')).mode & 0o777).toBe(0o600);
  });

  it('follows the port in the default public address', () => {
    expect(loadConfiguration({ DATA_DIR: dataDir, PORT: '8080' }).publicUrl).toBe('http://localhost:8080');
  });

  it('refuses to start in production without its secrets, and names both', () => {
    const problems = problemsOf({ NODE_ENV: 'production' });
    expect(problems).toHaveLength(2);
    expect(problems.join('\n')).toMatch(/ENCRYPTION_KEY[^]*JWT_SECRET/);
  });

  it('refuses private webhook addresses by default in production', () => {
    const configuration = loadConfiguration({
      NODE_ENV: 'production',
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      JWT_SECRET: 'x'.repeat(32),
    });
    expect(configuration.webhookAllowPrivate).toBe(false);
  });

  it.each([
    ['PORT', '70000'],
    ['PORT', '3e3'],
    ['NODE_ENV', 'prod'],
    ['PUBLIC_URL', 'pay.example.com'],
    ['PUBLIC_URL', 'ftp://pay.example.com'],
    ['DATABASE_URL', 'mysql://localhost/joma'],
    ['SERVICE_NAME', 'simulate'],
    ['SERVICE_NAME', 'Joma Pay'],
    ['PAYMENT_TTL', '60'],
    ['QR_WINDOW', '0s'],
    ['WEBHOOK_RETRY_SCHEDULE', '5s,,2m'],
    ['WEBHOOK_ALLOW_PRIVATE', 'yes'],
    ['RATE_LIMIT_PUBLIC', '60'],
    ['RATE_LIMIT_LOGIN', '0/1m'],
    ['LOG_LEVEL', 'verbose'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', 'all'],
    ['ENCRYPTION_KEY', 'c2hvcnQ='],
    ['JWT_SECRET', 'short'],
    ['ADMIN_EMAIL', 'nobody'],
    ['ADMIN_PASSWORD', 'short'],
  ])('refuses %s=%s in one line that names it', (name, value) => {
    const problems = problemsOf({ [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name} must be `));
    expect(problems[0]).not.toContain('\n');
  });

  it('names every wrong variable at once, and never shows a secret', () => {
    const problems = problemsOf({ PORT: 'x', JWT_SECRET: 'hunter2', ADMIN_PASSWORD: 'hunter2' });
    expect(problems).toHaveLength(3);
    expect(problems.join()).not.toContain('hunter2');
  });

  it('takes off as no limit', () => {
    expect(loadConfiguration({ DATA_DIR: dataDir, RATE_LIMIT_PUBLIC: 'off' }).rateLimitPublic).toBeNull();
  });
});
