import { loadConfiguration } from '../app.module.js';
import { readFile } from 'node:fs/promises';
import { withConfiguredDatabase } from '../platform/database/hosts/configured-database.js';
import { ACCOUNTS_CHAIN } from '../platform/audit/audit-chain.js';
import { type BrokenEntry, type ChainHead, verifyAuditLog } from '../platform/audit/audit-verification.js';

/*
 * `npm run audit:verify [earlier output]`: says whether the audit log is what was written. Prints the head of every
 * chain as `head <chain> <position> <hash>`; whoever keeps that output outside the database and hands it in the next
 * time also notices an end that was cut off. Exits with 1 and names the first broken entry of each chain otherwise.
 */

const REASONS: Readonly<Record<BrokenEntry['reason'], string>> = {
  missing: 'is missing',
  changed: 'is not what was written',
  unlinked: 'does not follow the entry before it',
  moved: 'belongs to another chain',
  rewritten: 'is not the one that stood here at the earlier verification',
};

export async function verify([earlier]: readonly string[]): Promise<number> {
  const anchors = earlier === undefined ? [] : headsIn(await readFile(earlier, 'utf8'));
  const log = await withConfiguredDatabase(loadConfiguration(process.env), (database) =>
    verifyAuditLog(database, anchors),
  );
  for (const { chain, position, hash } of log.heads) say(`head ${chain} ${position} ${hash}`);
  for (const { chain, position, id, reason } of log.broken) {
    say(`BROKEN ${nameOf(chain)}: entry ${position}${id === null ? '' : ` (${id})`} ${REASONS[reason]}.`);
  }
  if (log.broken.length > 0) return 1;
  say(`The audit log is whole: ${log.entries} entries in ${log.heads.length} chains.`);
  return 0;
}

function headsIn(text: string): ChainHead[] {
  const heads = [...text.matchAll(/^head ([0-9a-f-]{36}) (\d+) ([0-9a-f]{64})$/gm)];
  if (heads.length === 0) throw new Error('The file holds no output of an earlier verification.');
  return heads.map(([, chain = '', position, hash = '']) => ({ chain, position: Number(position), hash }));
}

function nameOf(chain: string): string {
  return chain === ACCOUNTS_CHAIN ? 'accounts' : `store ${chain}`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
