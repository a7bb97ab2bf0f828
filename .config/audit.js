// Asks the registry for known weaknesses of what is shipped. High and critical ones fail; without a registry that answers,
// one line says that nothing was checked, because a network that is away is no defect of the code.
import { spawnSync } from 'node:child_process';

const TIMEOUT_MS = 60_000;
const FAILING = ['critical', 'high'];
const PARAMETERS = [
  'audit',
  '--omit=dev',
  '--audit-level=high',
  '--json',
  '--fetch-timeout=20000',
  '--fetch-retries=1',
];

function reportOf(output) {
  try {
    return JSON.parse(output);
  } catch {
    return null;
  }
}

function skip(reason) {
  process.stdout.write(`Dependency audit skipped: ${String(reason).split('\n', 1)[0]}\n`);
}

function main() {
  const result = spawnSync('npm', PARAMETERS, { encoding: 'utf8', timeout: TIMEOUT_MS });
  if (result.error !== undefined) return skip(`npm audit did not finish (${result.error.message}).`);
  const report = reportOf(result.stdout);
  const counts = report?.metadata?.vulnerabilities;
  if (counts === undefined) {
    return skip(report?.error?.summary || report?.message || 'the registry did not answer npm audit.');
  }
  const found = Object.values(report.vulnerabilities ?? {}).filter(({ severity }) =>
    FAILING.includes(severity),
  );
  for (const { name, severity, range, fixAvailable, via } of found) {
    const titles = via.map((cause) =>
      typeof cause === 'string' ? `through ${cause}` : `${cause.title} ${cause.url}`,
    );
    const fix = fixAvailable ? 'a fix is available' : 'there is no fix yet';
    process.stdout.write(`${severity}: ${name} ${range}: ${titles.join('; ')} (${fix})\n`);
  }
  const total = counts.total ?? 0;
  if (found.length === 0) {
    process.stdout.write(`Dependency audit: nothing high or critical (${total} of lower severity).\n`);
    return;
  }
  process.exitCode = 1;
  process.stdout.write(`Dependency audit: ${found.length} of high or critical severity.\n`);
}

main();
