/** How long a picture waits for pictures of other stores, in milliseconds (contract 14.39). */
const PATIENCE_MS = 5_000;
/** Pictures that wait, each of up to 8 MiB: of all stores, and of one. */
const MAX_WAITING = 8;
const MAX_WAITING_OF_STORE = 2;

interface Waiting {
  readonly storeId: string;
  readonly begin: () => void;
}

/** Reads one picture at a time, to bound memory. Stores take turns: none waits for all pictures of another. */
export class PictureTurns {
  private waiting: Waiting[] = [];
  private isReading = false;
  /** Stores by their last turn, the earliest first. */
  private served: string[] = [];

  constructor(private readonly patienceMs = PATIENCE_MS) {}

  /** `busy` without having begun when the turn does not come in time, or too many wait. */
  async take<Result>(storeId: string, work: () => Promise<Result>): Promise<Result | 'busy'> {
    if (!(await this.turn(storeId))) return 'busy';
    try {
      return await work();
    } finally {
      this.isReading = false;
      this.next();
    }
  }

  /** True when the turn has come. */
  private turn(storeId: string): Promise<boolean> {
    const ofStore = this.waiting.filter((one) => one.storeId === storeId);
    if (this.waiting.length >= MAX_WAITING || ofStore.length >= MAX_WAITING_OF_STORE)
      return Promise.resolve(false);
    return new Promise((resolve) => {
      const patience = setTimeout(() => {
        this.waiting = this.waiting.filter((one) => one !== waiting);
        resolve(false);
      }, this.patienceMs);
      const waiting: Waiting = {
        storeId,
        begin: () => {
          clearTimeout(patience);
          resolve(true);
        },
      };
      this.waiting.push(waiting);
      this.next();
    });
  }

  private next(): void {
    if (this.isReading || this.waiting.length === 0) return;
    const rank = ({ storeId }: Waiting) => this.served.indexOf(storeId);
    const next = this.waiting.reduce((best, one) => (rank(one) < rank(best) ? one : best));
    this.waiting = this.waiting.filter((one) => one !== next);
    this.served = [
      ...this.served.filter((storeId) => this.waiting.some((one) => one.storeId === storeId)),
      next.storeId,
    ];
    this.isReading = true;
    next.begin();
  }
}
