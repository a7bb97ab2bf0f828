import type { TestProject } from 'vitest/node';
import { setupPostgres } from '../setup/global-setup.js';

/** The same server as the tests', with what belongs to stores in tables that are partitioned by them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  return setupPostgres(project, { durable: false, partitioned: true });
}
