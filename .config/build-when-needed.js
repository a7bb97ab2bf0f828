// Builds only when a source is newer than the last build: a second `npm start` is ready in two seconds instead of six.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BUILT = 'dist/src/main.js';
const STAMP = 'dist/.built';
const SOURCES = ['src', 'migrations', 'ormconfig.ts', 'package-lock.json', 'tsconfig.json', 'nest-cli.json'];

function newestMs(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  // A folder's own time changes when a file is added or removed.
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}

const startedAt = new Date();
if (!existsSync(BUILT) || newestMs(STAMP) < Math.max(...SOURCES.map(newestMs))) {
  process.stdout.write('Building…\n');
  const { status } = spawnSync(process.execPath, ['node_modules/@nestjs/cli/bin/nest.js', 'build'], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(STAMP, '');
  utimesSync(STAMP, startedAt, startedAt);
}
