import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../platform/config/index.js';
import type { Extension } from './extension.js';
import { switchOn } from './switch-on.js';

/*
 * Rules: contract 13.3, 13.4.
 */

class NoModule {}
class CreateNotes1763900000000 {
  async up(): Promise<void> {}
  async down(): Promise<void> {}
}

const extension = (name: string, more: Partial<Extension> = {}): Extension => ({
  name,
  module: NoModule,
  migrations: [],
  errorCodes: {},
  ...more,
});
const taken = {
  errorCodes: { 'store.not_found': { status: 404, meaning: 'None.' } },
  migrations: ['Initial1'],
};
const ENVIRONMENT = { NOTES_URL: 'nowhere' };
const switched = (known: readonly Extension[], ...names: string[]) =>
  switchOn(known, names, ENVIRONMENT, taken);

function problemsOf(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe('switchOn', () => {
  const known = [extension('notes'), extension('export')];

  it('takes what is named, and nothing else', () => {
    expect(switched(known)).toEqual([]);
    expect(switched(known, 'export')).toEqual([known[1]]);
  });

  it('says which name it does not know, and which there are', () => {
    expect(problemsOf(() => switched(known, 'note'))).toEqual([
      'EXTENSIONS names "note", but there is no such extension; there is notes, export.',
    ]);
  });

  it('refuses an error code or a migration that is taken, by the service or by another extension', () => {
    const errorCodes = { 'note.missing': { status: 404, meaning: 'None.' } };
    const clashing = [
      extension('one', { errorCodes: { ...errorCodes, ...taken.errorCodes } }),
      extension('two', { errorCodes, migrations: [CreateNotes1763900000000] }),
      extension('three', { migrations: [CreateNotes1763900000000] }),
    ];
    expect(problemsOf(() => switched(clashing, 'one', 'two', 'three'))).toEqual([
      'EXTENSIONS: the error code "store.not_found" of "one" is taken by the service itself.',
      'EXTENSIONS: the error code "note.missing" of "two" is taken by "one".',
      'EXTENSIONS: the migration "CreateNotes1763900000000" of "three" is taken by "two".',
    ]);
    expect(problemsOf(() => switched(clashing, 'two'))).toEqual([]);
  });

  it('asks only those that are switched on about their settings', () => {
    const choosy = extension('choosy', {
      settingProblems: ({ NOTES_URL }) => (NOTES_URL === 'nowhere' ? ['NOTES_URL must be an address.'] : []),
    });
    expect(problemsOf(() => switched([choosy], 'choosy'))).toEqual(['NOTES_URL must be an address.']);
    expect(problemsOf(() => switched([choosy]))).toEqual([]);
  });
});
