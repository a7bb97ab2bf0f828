import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** The end of a command of the built service, and what it printed. */
export interface CommandResult {
  /** The exit code; null when a signal ended the command. */
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
  /** `out` and `errors` in the order in which they came. */
  readonly output: string;
}

/** Runs a command of `dist/src/tools/cli.js` with nothing in its environment but what is given. */
export async function runCommand(
  name: string,
  parameters: readonly string[] = [],
  environment: Record<string, string> = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, [resolve('dist/src/tools/cli.js'), name, ...parameters], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 45_000,
    env: { PATH: process.env['PATH'], ...environment },
  });
  const printed = { out: '', errors: '', output: '' };
  const keep = (stream: 'out' | 'errors') => (chunk: Buffer) => {
    printed[stream] += chunk.toString();
    printed.output += chunk.toString();
  };
  child.stdout.on('data', keep('out'));
  child.stderr.on('data', keep('errors'));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...printed };
}
