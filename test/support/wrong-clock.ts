/**
 * Runs before the service does, and puts `Date` wrong in its process: by `WRONG_CLOCK_MS`, and the other way once
 * SIGUSR2 comes.
 */
function putWrong(): void {
  const Right = Date;
  let wrongByMs = Number(process.env['WRONG_CLOCK_MS']);
  const nowMs = (): number => Right.now() + wrongByMs;
  globalThis.Date = new Proxy(Right, {
    construct: (target, values: unknown[]) =>
      Reflect.construct(target, values.length === 0 ? [nowMs()] : values) as object,
    apply: () => new Right(nowMs()).toString(),
    get: (target, key) => (key === 'now' ? nowMs : (Reflect.get(target, key) as unknown)),
  });
  process.on('SIGUSR2', () => (wrongByMs = -wrongByMs));
}

/** For `startBuiltService`: a machine whose clock is ahead by so much, and behind by as much after SIGUSR2. */
export function wrongClock(aheadMs: number): Record<string, string> {
  const script = encodeURIComponent(`(${putWrong.toString()})();`);
  return { NODE_OPTIONS: `--import data:text/javascript,${script}`, WRONG_CLOCK_MS: String(aheadMs) };
}
