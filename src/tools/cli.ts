import 'reflect-metadata';
import { messageOf } from '../kernel/error-text.js';
import { ConfigurationError } from '../platform/config/index.js';

/*
 * All commands of the service: `node dist/src/tools/cli.js <command>`, in the image and behind `npm run`. Each command
 * imports its own code when it runs.
 */

/** The exit code; 0 if nothing is returned. */
type Run = (arguments_: readonly string[]) => Promise<number | void>;

interface Command {
  readonly summary: string;
  /** Behind the name, in the help. */
  readonly usage?: string;
  /** The words before the reason when it fails. */
  readonly failure?: string;
  /** Further lines of the help. */
  readonly details?: readonly string[];
  readonly load: () => Promise<Run>;
}

const EMBEDDED = 'Uses DATABASE_URL, or the embedded database under DATA_DIR, which must not be in use.';
const OWN_OR_RUNNING =
  'Brings its own service, or uses JOMA_URL with ADMIN_EMAIL and ADMIN_PASSWORD, on this machine.';

const COMMANDS: Readonly<Record<string, Command>> = {
  start: {
    summary: 'Runs the service, as `node dist/src/main.js` does.',
    load: async () => (await import('./start.js')).start,
  },
  demo: {
    summary: 'Plays the main flow from outside: create, checkout, receipt, verified, webhook.',
    details: [OWN_OR_RUNNING],
    failure: '\nThe demo failed: ',
    load: async () => (await import('./demo/demo.js')).demo,
  },
  load: {
    summary: 'Measures how many payments an installation takes.',
    usage: '[--connections 1,8,32] [--seconds 5] [--plot load.svg]',
    details: [OWN_OR_RUNNING],
    failure: '\nThe load test failed: ',
    load: async () => (await import('./load/load.js')).load,
  },
  phone: {
    summary: 'Forwards one SMS as an app on a phone would.',
    usage:
      '--store ID --secret SECRET [--app smsgate] [--url http://localhost:3000] [--sender bKash] [--text TEXT] [--amount 500] [--times 1]',
    load: async () => (await import('./phone/phone.js')).phone,
  },
  'sms:reread': {
    summary: 'Reads the unread messages of all stores again, with today’s rules.',
    details: [EMBEDDED],
    load: async () => (await import('./sms.js')).rereadMessages,
  },
  'secrets:reencrypt': {
    summary: 'Seals all secrets under ENCRYPTION_KEY that are still under one of ENCRYPTION_KEYS_OLD.',
    details: [EMBEDDED, 'Exits with 0 when no old key is needed any more, and with 1 otherwise.'],
    load: async () => (await import('./secrets.js')).reencrypt,
  },
  'audit:verify': {
    summary: 'Says whether the audit log is what was written.',
    usage: '[OUTPUT OF AN EARLIER RUN]',
    details: [EMBEDDED, 'With the output of an earlier run it also notices an end that was cut off.'],
    load: async () => (await import('./audit.js')).verify,
  },
  'db:distribute': {
    summary: 'Spreads a migrated database over the workers of a Citus cluster.',
    details: ['DATABASE_DIRECT_URL or DATABASE_URL names the coordinator. Can be run again.'],
    load: async () => (await import('./db.js')).distributeTables,
  },
  openapi: {
    summary: 'Writes test/openapi.json and those of the extensions; --check compares them.',
    usage: '[--check]',
    load: async () => (await import('./openapi.js')).openapi,
  },
  settings: {
    summary: 'Writes docs/settings.md.',
    load: async () => (await import('./settings.js')).settings,
  },
};

function help(name: string | undefined): string {
  const command = name === undefined ? undefined : COMMANDS[name];
  if (name === undefined || command === undefined) {
    const width = Math.max(...Object.keys(COMMANDS).map(({ length }) => length));
    return [
      'node dist/src/tools/cli.js COMMAND [OPTIONS]',
      '',
      ...Object.entries(COMMANDS).map(([one, { summary }]) => `  ${one.padEnd(width)}  ${summary}`),
      '',
      'COMMAND --help says more about one of them.',
    ].join('\n');
  }
  const { summary, usage = '', details = [] } = command;
  return [`node dist/src/tools/cli.js ${name} ${usage}`.trimEnd(), '', summary, ...details].join('\n');
}

const HELP_OPTIONS = ['--help', '-h'];

async function run(name: string | undefined, arguments_: readonly string[]): Promise<number> {
  if (name === undefined) {
    process.stdout.write(`${help(undefined)}\n`);
    return 1;
  }
  const isHelpFirst = name === 'help' || HELP_OPTIONS.includes(name);
  if (isHelpFirst || arguments_.some((word) => HELP_OPTIONS.includes(word))) {
    process.stdout.write(`${help(isHelpFirst ? arguments_[0] : name)}\n`);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    process.stderr.write(`There is no command "${name}".\n\n${help(undefined)}\n`);
    return 1;
  }
  try {
    return (await (await command.load())(arguments_)) ?? 0;
  } catch (error) {
    const lines = error instanceof ConfigurationError ? error.problems : [messageOf(error)];
    process.stderr.write(`${command.failure ?? ''}${lines.join('\n')}\n`);
    return 1;
  }
}

const [name, ...arguments_] = process.argv.slice(2);
const code = await run(name, arguments_);
// The service goes on after its start; everything else has ended, whatever connections it leaves open.
if (name !== 'start' || code !== 0) process.exit(code);
