import './tools/engine-settings.js';
import { createRequire } from 'node:module';
import type * as Start from './tools/start.js';

/*
 * What `npm start` and `node dist/src/main.js` run. The program itself is `tools/start.ts`.
 *
 * A start reads some 1,800 files. `require` reads ES modules as `import` does, but a file at once where `import`
 * takes four turns through the thread pool: a tenth of the whole start. What it cannot read is a file that awaits at
 * its top level, as an extension's may; then nothing has run yet, and all is read by `import`.
 */
try {
  const { start } = createRequire(import.meta.url)('./tools/start.js') as typeof Start;
  void start();
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_REQUIRE_ASYNC_MODULE') throw error;
  await (await import('./tools/start.js')).start();
}
