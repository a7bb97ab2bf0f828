/**
 * Runs an action once: when what is answered is called, or `ms` milliseconds from now, whichever comes first. Keeps
 * no process alive.
 */
export function atLatest(ms: number, action: () => void): () => void {
  let isDone = false;
  const run = (): void => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    action();
  };
  const timer = setTimeout(run, ms);
  timer.unref();
  return run;
}
