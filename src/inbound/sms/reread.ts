import type { INestApplicationContext } from '@nestjs/common';
import { StoresService, StoreStates } from '../../stores/index.js';
import { MessagesService, type RereadCounts } from './messages.service.js';

export interface RereadProgress extends RereadCounts {
  readonly stores: number;
}

const STORES_AT_A_TIME = 100;

/** Reads the unread messages of every store again; says how far it is after each hundred stores. */
export async function rereadAllStores(
  app: INestApplicationContext,
  onProgress: (progress: RereadProgress) => void,
): Promise<RereadProgress> {
  const [stores, states, messages] = [app.get(StoresService), app.get(StoreStates), app.get(MessagesService)];
  const total = { stores: 0, read: 0, receipts: 0, ignored: 0, unread: 0 };
  let after: string | null = null;
  for (;;) {
    const ids: string[] = await states.walk(after, STORES_AT_A_TIME);
    for (const id of ids) {
      const counts = await messages.reread(await stores.get(id));
      total.stores += 1;
      total.read += counts.read;
      total.receipts += counts.receipts;
      total.ignored += counts.ignored;
      total.unread += counts.unread;
    }
    if (ids.length > 0) onProgress(total);
    after = ids.at(-1) ?? null;
    if (ids.length < STORES_AT_A_TIME) return total;
  }
}
