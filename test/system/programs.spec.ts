import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { systemProgram } from '../support/programs.js';

/*
 * Goal: what needs a program of the system says which package is missing, instead of passing without having looked.
 */

it('names the package of a program that is missing', () => {
  expect(() => systemProgram('joma-no-such-program', 'joma-no-such-package')).toThrow('joma-no-such-package');
});

it('finds PgBouncer', () => {
  const version = execFileSync(systemProgram('pgbouncer', 'pgbouncer'), ['--version'], { encoding: 'utf8' });
  expect(version).toMatch(/^PgBouncer 1\./);
});
