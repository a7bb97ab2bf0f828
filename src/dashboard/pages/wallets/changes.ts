import { createHash } from 'node:crypto';
import { DomainError } from '../../../kernel/domain-error.js';
import {
  storeChangesOf,
  StoresService,
  UpdateStoreBody,
  type Wallet,
  WalletsChanged,
} from '../../../stores/index.js';
import type { Visit } from '../../kit/visit.js';
import { notFound } from '../../../platform/http/index.js';

/** The wallet that the form was drawn for. @throws DomainError `request.not_found` when it is not there (any more) */
export function indexOf(visit: Visit, wallets: readonly Wallet[] = visit.store.wallets): number {
  const text = visit.parameter('index');
  const index = /^\d{1,2}$/.test(text) ? Number(text) : -1;
  const wallet = wallets[index];
  const was = visit.field('was');
  if (wallet === undefined || (was !== '' && was !== markOf(wallet)))
    throw notFound.saying('There is no such wallet.');
  return index;
}

/** A mark of the wallet at a place of the list: another user may have changed the list since the form was drawn. */
function markOf(wallet: Wallet): string {
  return createHash('sha256').update(JSON.stringify(wallet)).digest('base64url').slice(0, 16);
}

export const marked = (wallet: Wallet | null | undefined) =>
  wallet == null ? {} : { hidden: { was: markOf(wallet) } };

export function typedWallet(visit: Visit, enabled: boolean): object {
  return {
    provider: visit.field('provider'),
    number: visit.text('number'),
    accountType: visit.field('accountType') || 'personal',
    qrPayload: visit.field('qrPayload') === '' ? null : visit.field('qrPayload'),
    enabled,
  };
}

interface ChangedWallets {
  readonly wallets: readonly object[];
  /** The place of the wallet that was typed. */
  readonly typed: number;
}

const MAX_CHANGES = 5;

/**
 * Wallets are one list of the store: what was changed of it meanwhile is changed with it. What is wrong with the one
 * that was typed is said at its fields.
 */
export async function changeWallets(
  visit: Visit,
  stores: StoresService,
  change: (wallets: readonly Wallet[]) => ChangedWallets,
): Promise<void> {
  let before = visit.store.wallets;
  for (let count = 1; ; count += 1) {
    const { wallets, typed } = change(before);
    const plain = wallets.map((wallet) => ({ ...wallet }));
    let body: UpdateStoreBody;
    try {
      body = await visit.checked(UpdateStoreBody, { wallets: plain });
    } catch (error) {
      throw error instanceof DomainError ? atFields(error, `/wallets/${typed}/`) : error;
    }
    try {
      await stores.update(visit.caller, visit.store.id, storeChangesOf(body), { whileWallets: before });
      return;
    } catch (error) {
      if (!(error instanceof WalletsChanged) || count === MAX_CHANGES) throw error;
      before = (await stores.get(visit.store.id)).wallets;
    }
  }
}

function atFields(error: DomainError, prefix: string): DomainError {
  const errors = error.errors?.map(({ pointer, detail }) => ({
    pointer: pointer.startsWith(prefix) ? `/${pointer.slice(prefix.length)}` : pointer,
    detail,
  }));
  return new DomainError(error, error.message, errors === undefined ? {} : { errors });
}
