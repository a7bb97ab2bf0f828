import type { TestProject } from 'vitest/node';
import { setupPostgres } from '../setup/global-setup.js';

/** The same server as the tests', but one that really writes to disk before it answers. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  return setupPostgres(project, { durable: true });
}
