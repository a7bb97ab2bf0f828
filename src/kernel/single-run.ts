/**
 * Work of which one run at a time goes on in this process: who asks for a run meanwhile joins the one that is under
 * way. A scheduler that does not wait for the end, or a user's request beside it, cannot make two of them.
 */
export class SingleRun {
  private running: Promise<void> | null = null;
  private stopped = false;

  /** `report` is told of what a run threw, and must not throw itself. */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly report: (error: unknown) => void,
  ) {}

  get isRunning(): boolean {
    return this.running !== null;
  }

  /** Work of many steps looks at this before each of them. */
  get isStopping(): boolean {
    return this.stopped;
  }

  /** Resolves at the end of the run, whatever became of it; never rejects. Does nothing once it was stopped. */
  run(): Promise<void> {
    if (this.stopped) return this.running ?? Promise.resolve();
    this.running ??= this.work()
      .catch(this.report)
      .finally(() => (this.running = null));
    return this.running;
  }

  /** Starts no more runs; resolves when the one that is under way has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }
}
