/** The properties of a delivery that a quota needs. */
export interface QuotaJob {
  readonly storeId: string;
  /** Size of its body; bounds the memory that waiting jobs take. */
  readonly bytes: number;
}

/**
 * New events go before what was taken from the table: retries, redeliveries, the backlog of a receiver that was down.
 */
export type QuotaKind = 'fresh' | 'backlog';

export type QuotaVerdict =
  /** The receiver answered 2xx. */
  | 'success'
  /** It did not; the quota slows down. */
  | 'failure'
  /** Nothing was learnt about the receiver, for instance because nothing was sent. */
  | 'none';

/** A job that holds a slot, from `next` to `finish`. */
export interface QuotaStart<Job extends QuotaJob> {
  readonly job: Job;
  readonly quota: SendingQuota<Job>;
  readonly grade: number;
  readonly startedAtMs: number;
}

export interface QuotaFinish<Job> {
  /** Must be handed back, because the breaker opened. */
  readonly handedBack: readonly Job[];
  /** When the breaker opened: until it lets a probe through, in milliseconds. */
  readonly reopensInMs: number | null;
  /** The table should be asked for more of this store. */
  readonly wantsMore: boolean;
}

/** How many deliveries of which store to take from the table. */
export interface QuotaPlan {
  /** Deliveries altogether. */
  readonly total: number;
  /** For each store that is not in `rooms`. */
  readonly defaultRoom: number;
  readonly rooms: ReadonlyMap<string, number>;
}

/** The stores that were looked at for a plan, in the order of their ids. Null: from the first, to the last. */
export interface QuotaWalk {
  readonly after: string | null;
  readonly through: string | null;
}

/**
 * How much a store's last answer says about its next one. The worse the grade, the smaller the share of slots and of
 * memory that all stores of that grade may take together, so that what hangs can never crowd out what answers.
 */
const BRISK = 0;
const UNKNOWN = 1;
const POOR = 2;
const GRADES = [BRISK, UNKNOWN, POOR] as const;
const KINDS = ['fresh', 'backlog'] as const;

/** Exchanges at the same time, over all stores. A receiver that hangs costs a socket and a timer, hardly any work. */
export const SLOTS = 1_024;
/** Slots that stores of this grade *and worse* may hold together. */
const SLOTS_BY_GRADE = [SLOTS, (SLOTS * 3) / 4, SLOTS / 4] as const;
/** Jobs that may wait in memory, and bytes of their bodies, by the same rule. */
const QUEUE_BY_GRADE = [8_192, 6_144, 2_048] as const;
const QUEUED_BYTES_BY_GRADE = [64 * 1024 * 1024, 48 * 1024 * 1024, 16 * 1024 * 1024] as const;
/** The share that either kind leaves to the other one. */
const SHARE_BY_KIND = { fresh: 7 / 8, backlog: 3 / 4 } as const;
/** Jobs of one store and one kind that may wait in memory … */
const QUOTA_QUEUE_BY_GRADE = [1_024, 8, 4] as const;
/** … but of a brisk one no more than it takes in so many milliseconds, or this many. */
const QUEUE_HORIZON_MS = 2_000;
const LEAST_BRISK_QUEUE = 64;
/**
 * The size of the backlogs of brisk stores together: a tenth of a second's work, so that what waits is young when it is
 * dropped, which is what garbage collection costs least for. They share it; each has room for this many at least.
 */
const BRISK_BACKLOG = 1_024;
const LEAST_SHARE = 8;
/** Above this, a store that has not answered briskly yet has one slot, not two. */
const CROWDED_SLOTS = SLOTS / 4;

const FIRST_LIMIT = 2;
const MAX_LIMIT = 64;
/** For a store that answers, but slowly: its exchanges hold their slots for long. */
const MAX_LIMIT_WHEN_SLOW = 8;
/** An answer within this time is brisk, in milliseconds. */
const BRISK_MS = 1_000;

/** Weight of the latest exchange in the mean. */
const TOOK_WEIGHT = 0.2;

const FAILURES_TO_OPEN = 3;
const MAX_OPEN_MS = 60_000;
/** The breaker stays open for this multiple of the exchange that failed … */
const MAX_OPEN_FACTOR = 8;
/** … but for no less than this, growing with every failed probe. */
const FIRST_OPEN_MS = 5;
const MAX_OPEN_FLOOR_MS = 50;
const OPEN_JITTER_SHARE = 0.2;

/** One start in so many goes to the backlog while there are fresh events, so that it moves on under any load. */
const BACKLOG_TURN = 8;
/** The number of deliveries that are taken from the table for a store about which nothing is known. */
const DEFAULT_ROOM = FIRST_LIMIT;
const MAX_PLAN = 1_024;
const MAX_QUOTAS = 10_000;
const EVICTION_SCAN = 64;

/** One store's way out of this process. */
interface SendingQuota<Job> {
  readonly storeId: string;
  readonly waiting: Record<QuotaKind, Job[]>;
  grade: 0 | 1 | 2;
  /** Exchanges it may have at the same time: 2, doubled by each success, 1 after a failure. */
  limit: number;
  /** How long its exchanges take that succeed, the recent ones counting most. */
  tookMs: number | null;
  inFlight: number;
  failures: number;
  /** Times the breaker opened in a row. */
  openings: number;
  /** While the breaker is open: when it lets a probe through. */
  reopensAtMs: number | null;
  openedAtMs: number;
  /** The table may hold more that is due for this store than was taken. */
  mayHaveMore: boolean;
  /** It has come to hold more since the last plan, which may have missed it. */
  hasGotMore: boolean;
}

/**
 * Decides which delivery is sent next, so that stores which hang, fail or have a large backlog do not delay the
 * others (docs/performance.md). Pure: no timers, no input or output; time and chance come from
 * outside.
 *
 * Every store has a quota with a limit that starts at 2, doubles with each success and drops to 1 with a failure, and
 * a breaker that opens after three failures in a row. It stays open for a multiple of the time that the failed
 * exchange took: a receiver that hangs costs seconds of a slot and rests for a minute, one that refuses at once costs
 * nothing and is asked again soon, so that a breaker hardly ever delays a retry which the schedule allows.
 * SendingQuotas take turns.
 *
 * What waits here holds a lease, so it is bounded everywhere; what is refused or handed back stays in the table.
 */
export class SendingQuotas<Job extends QuotaJob> {
  private readonly quotas = new Map<string, SendingQuota<Job>>();
  /** SendingQuotas that could start a job of that kind, by grade, in the order of their turns. */
  private readonly ready: Record<QuotaKind, readonly Set<SendingQuota<Job>>[]> = {
    fresh: GRADES.map(() => new Set()),
    backlog: GRADES.map(() => new Set()),
  };
  private readonly slotsUsed = [0, 0, 0];
  private readonly queued = [0, 0, 0];
  private readonly queuedBytes = [0, 0, 0];
  private readonly queuedByKind = { fresh: { jobs: 0, bytes: 0 }, backlog: { jobs: 0, bytes: 0 } };
  /** Stores that may have more in the table. */
  private backlogged = 0;
  private turn = 0;
  private closed = false;

  constructor(
    private readonly nowMs: () => number,
    private readonly random: () => number,
  ) {}

  get inFlight(): number {
    return this.slotsUsed[0]! + this.slotsUsed[1]! + this.slotsUsed[2]!;
  }

  get waiting(): number {
    return this.queued[0]! + this.queued[1]! + this.queued[2]!;
  }

  get openBreakers(): number {
    let count = 0;
    for (const quota of this.quotas.values()) if (quota.reopensAtMs !== null) count += 1;
    return count;
  }

  /** Whether a new event of this store could be taken in now. */
  admits(storeId: string): boolean {
    return !this.closed && this.hasRoom(this.quotaOf(storeId), 'fresh');
  }

  /** Says that the table has got something due for this store; true when it should be asked for it now. */
  left(storeId: string): boolean {
    const quota = this.quotaOf(storeId);
    quota.mayHaveMore = true;
    quota.hasGotMore = true;
    return !this.closed && this.isWorthAsking(quota);
  }

  /** Takes a job in; false when there is no room, and then the caller still has it. */
  add(job: Job, kind: QuotaKind): boolean {
    const quota = this.quotaOf(job.storeId);
    if (this.closed || !this.hasRoom(quota, kind)) return false;
    quota.waiting[kind].push(job);
    this.count(quota.grade, kind, 1, job.bytes);
    this.place(quota);
    return true;
  }

  /** The job whose turn it is, which now holds a slot until `finish`; null when none may start. */
  next(): QuotaStart<Job> | null {
    this.turn += 1;
    const kinds: readonly QuotaKind[] =
      this.turn % BACKLOG_TURN === 0 ? ['backlog', 'fresh'] : ['fresh', 'backlog'];
    for (const kind of kinds) {
      for (const offset of GRADES) {
        const grade = (this.turn + offset) % GRADES.length;
        const [quota] = this.ready[kind][grade]!;
        if (quota !== undefined && leftFor(grade, this.slotsUsed, SLOTS_BY_GRADE) > 0)
          return this.start(quota, kind);
      }
    }
    return null;
  }

  /**
   * Gives the slot back and learns from the verdict; `tookMs` is how long the exchange with the receiver took.
   */
  finish(start: QuotaStart<Job>, verdict: QuotaVerdict, tookMs: number): QuotaFinish<Job> {
    const { quota } = start;
    quota.inFlight -= 1;
    this.slotsUsed[start.grade]! -= 1;
    if (verdict === 'success') this.succeed(quota, tookMs);
    const reopensInMs = verdict === 'failure' ? this.fail(quota, start.startedAtMs, tookMs) : null;
    const handedBack = reopensInMs === null ? [] : this.empty(quota);
    this.place(quota);
    return { handedBack, reopensInMs, wantsMore: quota.mayHaveMore && this.isWorthAsking(quota) };
  }

  /**
   * The deliveries to take from the table now. A quota that is left out of it for lack of room asks again through
   * `finish`.
   */
  plan(): QuotaPlan {
    const rooms = new Map<string, number>();
    for (const quota of this.quotas.values()) {
      quota.hasGotMore = false;
      const room = this.roomOf(quota);
      // An idle quota is like one that is not known, unless it is known to have a backlog: the plan stays small.
      const idle = quota.grade !== POOR && quota.inFlight + waitingIn(quota) === 0 && !quota.mayHaveMore;
      if (room !== DEFAULT_ROOM && !idle) rooms.set(quota.storeId, room);
    }
    const hasMemory = !this.closed && this.bytesLeft(UNKNOWN, 'backlog') > 0;
    const total = hasMemory ? Math.min(MAX_PLAN, Math.max(0, this.jobsLeft(UNKNOWN, 'backlog'))) : 0;
    return { total, defaultRoom: DEFAULT_ROOM, rooms };
  }

  /**
   * Says how many deliveries of each store a plan brought. A quota that had no room, or got all it had room for, may
   * have more in the table, and so may the one at which the plan was used up.
   */
  planned(plan: QuotaPlan, countByStore: ReadonlyMap<string, number>, walk: QuotaWalk): void {
    let total = 0;
    for (const count of countByStore.values()) total += count;
    this.backlogged = 0;
    for (const quota of this.quotas.values()) {
      const { storeId } = quota;
      if (hasWalked(walk, storeId)) {
        const room = plan.rooms.get(storeId) ?? plan.defaultRoom;
        const wasCutOff = total >= plan.total && storeId === walk.through;
        quota.mayHaveMore = quota.hasGotMore || wasCutOff || (countByStore.get(storeId) ?? 0) >= room;
      }
      if (quota.mayHaveMore && quota.grade === BRISK) this.backlogged += 1;
    }
  }

  /** When the next open breaker lets a probe through; null when none is to come. */
  nextReopeningAtMs(): number | null {
    const nowMs = this.nowMs();
    let nextAtMs: number | null = null;
    for (const { reopensAtMs } of this.quotas.values()) {
      if (reopensAtMs === null || reopensAtMs <= nowMs) continue;
      if (nextAtMs === null || reopensAtMs < nextAtMs) nextAtMs = reopensAtMs;
    }
    return nextAtMs;
  }

  /** Takes nothing in any more, and gives out all that waits; what is in flight still has to be finished. */
  close(): Job[] {
    this.closed = true;
    return [...this.quotas.values()].flatMap((quota) => this.empty(quota));
  }

  private start(quota: SendingQuota<Job>, kind: QuotaKind): QuotaStart<Job> {
    const job = quota.waiting[kind].shift()!;
    this.count(quota.grade, kind, -1, -job.bytes);
    quota.inFlight += 1;
    this.slotsUsed[quota.grade]! += 1;
    // To the end of its rows: every other quota has a turn before it has another.
    this.displace(quota);
    this.place(quota);
    return { job, quota, grade: quota.grade, startedAtMs: this.nowMs() };
  }

  private succeed(quota: SendingQuota<Job>, tookMs: number): void {
    const brisk = tookMs < BRISK_MS;
    quota.failures = 0;
    quota.openings = 0;
    quota.reopensAtMs = null;
    quota.tookMs = tookMs * TOOK_WEIGHT + (quota.tookMs ?? tookMs) * (1 - TOOK_WEIGHT);
    quota.limit = Math.min(quota.limit * 2, brisk ? MAX_LIMIT : MAX_LIMIT_WHEN_SLOW);
    this.regrade(quota, brisk ? BRISK : UNKNOWN);
  }

  /** How long the breaker stays open, when this opened it. */
  private fail(quota: SendingQuota<Job>, startedAtMs: number, tookMs: number): number | null {
    quota.limit = 1;
    quota.failures += 1;
    this.regrade(quota, POOR);
    if (quota.failures < FAILURES_TO_OPEN) return null;
    // Exchanges that were under way when the breaker opened tell nothing new.
    if (quota.reopensAtMs !== null && startedAtMs < quota.openedAtMs) return null;
    const factor = Math.min(2 ** quota.openings, MAX_OPEN_FACTOR);
    const floorMs = Math.min(FIRST_OPEN_MS * 2 ** quota.openings, MAX_OPEN_FLOOR_MS);
    const restMs = Math.min(Math.max(tookMs * factor, floorMs), MAX_OPEN_MS);
    const openMs = restMs * (1 + OPEN_JITTER_SHARE * this.random());
    quota.openings = Math.min(quota.openings + 1, 30);
    quota.openedAtMs = this.nowMs();
    quota.reopensAtMs = quota.openedAtMs + openMs;
    return openMs;
  }

  private empty(quota: SendingQuota<Job>): Job[] {
    const jobs = KINDS.flatMap((kind) => {
      const waiting = quota.waiting[kind].splice(0);
      this.count(quota.grade, kind, -waiting.length, -bytesOf(waiting));
      return waiting;
    });
    this.displace(quota);
    return jobs;
  }

  private regrade(quota: SendingQuota<Job>, grade: 0 | 1 | 2): void {
    if (grade === quota.grade) return;
    this.displace(quota);
    for (const kind of KINDS) {
      const waiting = quota.waiting[kind];
      const bytes = bytesOf(waiting);
      this.count(quota.grade, kind, -waiting.length, -bytes);
      this.count(grade, kind, waiting.length, bytes);
    }
    quota.grade = grade;
  }

  private count(grade: number, kind: QuotaKind, jobs: number, bytes: number): void {
    this.queued[grade]! += jobs;
    this.queuedBytes[grade]! += bytes;
    this.queuedByKind[kind].jobs += jobs;
    this.queuedByKind[kind].bytes += bytes;
  }

  private jobsLeft(grade: number, kind: QuotaKind): number {
    return Math.min(
      leftFor(grade, this.queued, QUEUE_BY_GRADE),
      QUEUE_BY_GRADE[BRISK] * SHARE_BY_KIND[kind] - this.queuedByKind[kind].jobs,
    );
  }

  private bytesLeft(grade: number, kind: QuotaKind): number {
    return Math.min(
      leftFor(grade, this.queuedBytes, QUEUED_BYTES_BY_GRADE),
      QUEUED_BYTES_BY_GRADE[BRISK] * SHARE_BY_KIND[kind] - this.queuedByKind[kind].bytes,
    );
  }

  private displace(quota: SendingQuota<Job>): void {
    this.ready.fresh[quota.grade]!.delete(quota);
    this.ready.backlog[quota.grade]!.delete(quota);
  }

  /** Puts the quota into the rows it belongs to, at their end where it is new there. */
  private place(quota: SendingQuota<Job>): void {
    for (const kind of KINDS) {
      const row = this.ready[kind][quota.grade]!;
      if (quota.waiting[kind].length > 0 && quota.inFlight < this.limitOf(quota)) row.add(quota);
      else row.delete(quota);
    }
  }

  private limitOf(quota: SendingQuota<Job>): number {
    const crowded = quota.grade !== BRISK && fromGrade(UNKNOWN, this.slotsUsed) >= CROWDED_SLOTS;
    return crowded ? 1 : quota.limit;
  }

  private isOpen(quota: SendingQuota<Job>): boolean {
    if (quota.reopensAtMs === null) return false;
    // One probe at a time, once the time is over.
    return quota.reopensAtMs > this.nowMs() || quota.inFlight + waitingIn(quota) > 0;
  }

  private hasRoom(quota: SendingQuota<Job>, kind: QuotaKind): boolean {
    if (this.isOpen(quota) || quota.waiting[kind].length >= queueOf(quota)) return false;
    return this.bytesLeft(quota.grade, kind) > 0 && this.jobsLeft(quota.grade, kind) > 0;
  }

  /**
   * The room for deliveries from the table: much for a store that answers, for others no more than can start at once.
   */
  private roomOf(quota: SendingQuota<Job>): number {
    if (!this.hasRoom(quota, 'backlog')) return 0;
    if (quota.reopensAtMs !== null) return 1;
    if (quota.grade === BRISK) return Math.max(0, this.shareOf(quota) - quota.waiting.backlog.length);
    return Math.max(0, quota.limit - quota.inFlight - waitingIn(quota));
  }

  /** How much of a brisk store's backlog may wait: no more than its part, so that the table is soon walked round. */
  private shareOf(quota: SendingQuota<Job>): number {
    const part = Math.floor(BRISK_BACKLOG / Math.max(this.backlogged, 1));
    return Math.min(queueOf(quota), Math.max(part, LEAST_SHARE));
  }

  /** A quota with a backlog is filled up when half of its room is free, not for every single delivery. */
  private isWorthAsking(quota: SendingQuota<Job>): boolean {
    return this.roomOf(quota) > (quota.grade === BRISK ? this.shareOf(quota) / 2 : 0);
  }

  private quotaOf(storeId: string): SendingQuota<Job> {
    const known = this.quotas.get(storeId);
    if (known !== undefined) return known;
    if (this.quotas.size >= MAX_QUOTAS) this.evict();
    const quota: SendingQuota<Job> = {
      storeId,
      waiting: { fresh: [], backlog: [] },
      grade: UNKNOWN,
      limit: FIRST_LIMIT,
      tookMs: null,
      inFlight: 0,
      failures: 0,
      openings: 0,
      reopensAtMs: null,
      openedAtMs: 0,
      mayHaveMore: false,
      hasGotMore: false,
    };
    this.quotas.set(storeId, quota);
    return quota;
  }

  /** Forgets a quota that does nothing. It starts anew, at 2, which is no more than another replica would do. */
  private evict(): void {
    let scanned = 0;
    for (const quota of this.quotas.values()) {
      if ((scanned += 1) > EVICTION_SCAN) return;
      this.quotas.delete(quota.storeId);
      if (quota.inFlight + waitingIn(quota) === 0) return;
      this.quotas.set(quota.storeId, quota);
    }
  }
}

function hasWalked({ after, through }: QuotaWalk, storeId: string): boolean {
  return (after === null || storeId > after) && (through === null || storeId <= through);
}

function waitingIn(quota: { readonly waiting: Record<QuotaKind, readonly unknown[]> }): number {
  return quota.waiting.fresh.length + quota.waiting.backlog.length;
}

/** How many of its jobs of one kind may wait. */
function queueOf<Job>(quota: SendingQuota<Job>): number {
  const cap = QUOTA_QUEUE_BY_GRADE[quota.grade];
  if (quota.grade !== BRISK) return cap;
  const soon = Math.floor((quota.limit * QUEUE_HORIZON_MS) / Math.max(quota.tookMs ?? BRISK_MS, 1));
  return Math.min(cap, Math.max(soon, LEAST_BRISK_QUEUE));
}

function bytesOf(jobs: readonly QuotaJob[]): number {
  return jobs.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The use of that grade and the worse ones together. */
function fromGrade(grade: number, used: readonly number[]): number {
  return used.reduce((sum, amount, g) => (g >= grade ? sum + amount : sum), 0);
}

/** The room of a grade: it must fit under its own limit, and under those of the better grades. */
function leftFor(grade: number, used: readonly number[], limits: readonly number[]): number {
  let left = Number.POSITIVE_INFINITY;
  for (let g = 0; g <= grade; g += 1) left = Math.min(left, limits[g]! - fromGrade(g, used));
  return left;
}
