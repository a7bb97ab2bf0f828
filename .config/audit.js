// Asks the registry for known weaknesses of what is shipped. High and critical ones fail, and so does an answer that cannot be
// understood. Only a registry that does not answer is passed over, in one line: a network that is away is no defect of the code.
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
/** Stands in the message of whatever goes wrong between npm and the registry. */
const ENDPOINT = /\/-\/npm\/v1\/security\//;

function say(line) {
  process.stdout.write(`${String(line).split('\n', 1)[0]}\n`);
}

function fail(line) {
  process.exitCode = 1;
  say(line);
}

function reportOf(output) {
  try {
    return JSON.parse(output);
  } catch {
    return null;
  }
}

function isObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** The answer as npm gives it since version 7; null for anything else. */
function auditOf(report) {
  const counts = report?.metadata?.vulnerabilities;
  const entries = report?.vulnerabilities;
  if (!isObject(counts) || !isObject(entries)) return null;
  const isWhole = [...FAILING, 'total'].every((severity) => Number.isInteger(counts[severity]));
  return isWhole ? { counts, entries: Object.values(entries) } : null;
}

function lineOf({ name, severity, range, fixAvailable, via }) {
  const causes = Array.isArray(via) ? via : [];
  const titles = causes.map((cause) =>
    typeof cause === 'string' ? `through ${cause}` : `${cause.title} ${cause.url}`,
  );
  const fix = fixAvailable ? 'a fix is available' : 'there is no fix yet';
  return `${severity}: ${name} ${range}: ${titles.join('; ')} (${fix})`;
}

function judge({ counts, entries }, status) {
  const found = entries.filter(({ severity }) => FAILING.includes(severity));
  for (const entry of found) say(lineOf(entry));
  const count = Math.max(found.length, counts.critical + counts.high);
  if (count > 0) return fail(`Dependency audit: ${count} of high or critical severity.`);
  if (status !== 0) return fail(`Dependency audit: npm audit ended with ${status} and named nothing.`);
  say(`Dependency audit: nothing high or critical (${counts.total} of lower severity).`);
}

function main() {
  const { error, status, stdout } = spawnSync('npm', PARAMETERS, { encoding: 'utf8', timeout: TIMEOUT_MS });
  if (error?.code === 'ETIMEDOUT') return say('Dependency audit skipped: npm audit did not finish in time.');
  if (error !== undefined) return fail(`Dependency audit: npm cannot be run (${error.message}).`);
  const report = reportOf(stdout);
  const audit = auditOf(report);
  if (audit !== null) return judge(audit, status);
  const message = report?.message ?? report?.error?.summary;
  if (typeof message === 'string' && ENDPOINT.test(message))
    return say(`Dependency audit skipped: ${message}`);
  fail(`Dependency audit: npm audit answered what cannot be understood (${message || 'no report'}).`);
}

main();
