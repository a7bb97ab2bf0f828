/** What a lane needs to know about a delivery. */
export interface LaneJob {
  readonly storeId: string;
  /** Of its body; bounds the memory that waiting jobs take. */
  readonly bytes: number;
}

/** New events go before what was taken from the table: retries, redeliveries, the backlog of a receiver that was down. */
export type LaneKind = 'fresh' | 'backlog';

export type LaneVerdict =
  /** The receiver answered 2xx. */
  | 'success'
  /** It did not; the lane slows down. */
  | 'failure'
  /** Nothing was learnt about the receiver, for instance because nothing was sent. */
  | 'none';

/** A job that holds a slot, from `next` to `finish`. */
export interface LaneStart<Job extends LaneJob> {
  readonly job: Job;
  readonly lane: Lane<Job>;
  readonly grade: number;
  readonly startedAtMs: number;
}

export interface LaneFinish<Job> {
  /** Must be handed back, because the breaker opened. */
  readonly handedBack: readonly Job[];
  /** When the breaker opened: until it lets a probe through, in milliseconds. */
  readonly reopensInMs: number | null;
  /** The table should be asked for more of this store. */
  readonly wantsMore: boolean;
}

/** How many deliveries of which store to take from the table. */
export interface LanePlan {
  /** Deliveries altogether. */
  readonly total: number;
  /** For each store that is not in `rooms`. */
  readonly defaultRoom: number;
  readonly rooms: ReadonlyMap<string, number>;
}

/** The stores that were looked at for a plan, in the order of their ids. Null: from the first, to the last. */
export interface LaneWalk {
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
/** What either kind leaves to the other one. */
const SHARE_BY_KIND = { fresh: 7 / 8, backlog: 3 / 4 } as const;
/** Jobs of one store and one kind that may wait in memory … */
const LANE_QUEUE_BY_GRADE = [1_024, 8, 4] as const;
/** … but of a brisk one no more than it takes in so many milliseconds, or this many. */
const QUEUE_HORIZON_MS = 2_000;
const LEAST_BRISK_QUEUE = 64;
/**
 * Of the backlogs of brisk stores together: a tenth of a second's work, so that what waits is young when it is dropped, which is
 * what garbage collection costs least for. They share it; each has room for this many at least.
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
/** What is taken from the table for a store nothing is known about. */
const DEFAULT_ROOM = FIRST_LIMIT;
const MAX_PLAN = 1_024;
const MAX_LANES = 10_000;
const EVICTION_SCAN = 64;

/** One store's way out of this process. */
interface Lane<Job> {
  readonly storeId: string;
  readonly waiting: Record<LaneKind, Job[]>;
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
 * Decides which delivery is sent next, so that stores which hang, fail or have a large backlog do not delay the others
 * (figures in the README of this folder). Pure: no timers, no input or output; time and chance come from outside.
 *
 * Every store has a lane with a limit that starts at 2, doubles with each success and drops to 1 with a failure, and a
 * breaker that opens after three failures in a row. It stays open for a multiple of the time that the failed exchange
 * took: a receiver that hangs costs seconds of a slot and rests for a minute, one that refuses at once costs nothing and
 * is asked again soon, so that a breaker hardly ever delays a retry which the schedule allows. Lanes take turns.
 *
 * What waits here holds a lease, so it is bounded everywhere; what is refused or handed back stays in the table.
 */
export class Lanes<Job extends LaneJob> {
  private readonly lanes = new Map<string, Lane<Job>>();
  /** Lanes that could start a job of that kind, by grade, in the order of their turns. */
  private readonly ready: Record<LaneKind, readonly Set<Lane<Job>>[]> = {
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
    for (const lane of this.lanes.values()) if (lane.reopensAtMs !== null) count += 1;
    return count;
  }

  /** Whether a new event of this store could be taken in now. */
  admits(storeId: string): boolean {
    return !this.closed && this.hasRoom(this.laneOf(storeId), 'fresh');
  }

  /** Says that the table has got something due for this store; true when it should be asked for it now. */
  left(storeId: string): boolean {
    const lane = this.laneOf(storeId);
    lane.mayHaveMore = true;
    lane.hasGotMore = true;
    return !this.closed && this.isWorthAsking(lane);
  }

  /** Takes a job in; false when there is no room, and then the caller still has it. */
  add(job: Job, kind: LaneKind): boolean {
    const lane = this.laneOf(job.storeId);
    if (this.closed || !this.hasRoom(lane, kind)) return false;
    lane.waiting[kind].push(job);
    this.count(lane.grade, kind, 1, job.bytes);
    this.place(lane);
    return true;
  }

  /** The job whose turn it is, which now holds a slot until `finish`; null when none may start. */
  next(): LaneStart<Job> | null {
    this.turn += 1;
    const kinds: readonly LaneKind[] =
      this.turn % BACKLOG_TURN === 0 ? ['backlog', 'fresh'] : ['fresh', 'backlog'];
    for (const kind of kinds) {
      for (const offset of GRADES) {
        const grade = (this.turn + offset) % GRADES.length;
        const [lane] = this.ready[kind][grade]!;
        if (lane !== undefined && leftFor(grade, this.slotsUsed, SLOTS_BY_GRADE) > 0)
          return this.start(lane, kind);
      }
    }
    return null;
  }

  /**
   * Gives the slot back and learns from the verdict; `tookMs` is how long the exchange with the receiver took.
   */
  finish(start: LaneStart<Job>, verdict: LaneVerdict, tookMs: number): LaneFinish<Job> {
    const { lane } = start;
    lane.inFlight -= 1;
    this.slotsUsed[start.grade]! -= 1;
    if (verdict === 'success') this.succeed(lane, tookMs);
    const reopensInMs = verdict === 'failure' ? this.fail(lane, start.startedAtMs, tookMs) : null;
    const handedBack = reopensInMs === null ? [] : this.empty(lane);
    this.place(lane);
    return { handedBack, reopensInMs, wantsMore: lane.mayHaveMore && this.isWorthAsking(lane) };
  }

  /** What to take from the table now. A lane that is left out of it for lack of room asks again through `finish`. */
  plan(): LanePlan {
    const rooms = new Map<string, number>();
    for (const lane of this.lanes.values()) {
      lane.hasGotMore = false;
      const room = this.roomOf(lane);
      // An idle lane is like one that is not known, unless it is known to have a backlog: the plan stays small.
      const idle = lane.grade !== POOR && lane.inFlight + waitingIn(lane) === 0 && !lane.mayHaveMore;
      if (room !== DEFAULT_ROOM && !idle) rooms.set(lane.storeId, room);
    }
    const hasMemory = !this.closed && this.bytesLeft(UNKNOWN, 'backlog') > 0;
    const total = hasMemory ? Math.min(MAX_PLAN, Math.max(0, this.jobsLeft(UNKNOWN, 'backlog'))) : 0;
    return { total, defaultRoom: DEFAULT_ROOM, rooms };
  }

  /**
   * Says how many deliveries of each store a plan brought. A lane that had no room, or got all it had room for, may have
   * more in the table, and so may the one at which the plan was used up.
   */
  planned(plan: LanePlan, countByStore: ReadonlyMap<string, number>, walk: LaneWalk): void {
    let total = 0;
    for (const count of countByStore.values()) total += count;
    this.backlogged = 0;
    for (const lane of this.lanes.values()) {
      const { storeId } = lane;
      if (hasWalked(walk, storeId)) {
        const room = plan.rooms.get(storeId) ?? plan.defaultRoom;
        const wasCutOff = total >= plan.total && storeId === walk.through;
        lane.mayHaveMore = lane.hasGotMore || wasCutOff || (countByStore.get(storeId) ?? 0) >= room;
      }
      if (lane.mayHaveMore && lane.grade === BRISK) this.backlogged += 1;
    }
  }

  /** When the next open breaker lets a probe through; null when none is to come. */
  nextReopeningAtMs(): number | null {
    const nowMs = this.nowMs();
    let nextAtMs: number | null = null;
    for (const { reopensAtMs } of this.lanes.values()) {
      if (reopensAtMs === null || reopensAtMs <= nowMs) continue;
      if (nextAtMs === null || reopensAtMs < nextAtMs) nextAtMs = reopensAtMs;
    }
    return nextAtMs;
  }

  /** Takes nothing in any more, and gives out all that waits; what is in flight still has to be finished. */
  close(): Job[] {
    this.closed = true;
    return [...this.lanes.values()].flatMap((lane) => this.empty(lane));
  }

  private start(lane: Lane<Job>, kind: LaneKind): LaneStart<Job> {
    const job = lane.waiting[kind].shift()!;
    this.count(lane.grade, kind, -1, -job.bytes);
    lane.inFlight += 1;
    this.slotsUsed[lane.grade]! += 1;
    // To the end of its rows: every other lane has a turn before it has another.
    this.displace(lane);
    this.place(lane);
    return { job, lane, grade: lane.grade, startedAtMs: this.nowMs() };
  }

  private succeed(lane: Lane<Job>, tookMs: number): void {
    const brisk = tookMs < BRISK_MS;
    lane.failures = 0;
    lane.openings = 0;
    lane.reopensAtMs = null;
    lane.tookMs = tookMs * TOOK_WEIGHT + (lane.tookMs ?? tookMs) * (1 - TOOK_WEIGHT);
    lane.limit = Math.min(lane.limit * 2, brisk ? MAX_LIMIT : MAX_LIMIT_WHEN_SLOW);
    this.regrade(lane, brisk ? BRISK : UNKNOWN);
  }

  /** How long the breaker stays open, when this opened it. */
  private fail(lane: Lane<Job>, startedAtMs: number, tookMs: number): number | null {
    lane.limit = 1;
    lane.failures += 1;
    this.regrade(lane, POOR);
    if (lane.failures < FAILURES_TO_OPEN) return null;
    // Exchanges that were under way when the breaker opened tell nothing new.
    if (lane.reopensAtMs !== null && startedAtMs < lane.openedAtMs) return null;
    const factor = Math.min(2 ** lane.openings, MAX_OPEN_FACTOR);
    const floorMs = Math.min(FIRST_OPEN_MS * 2 ** lane.openings, MAX_OPEN_FLOOR_MS);
    const restMs = Math.min(Math.max(tookMs * factor, floorMs), MAX_OPEN_MS);
    const openMs = restMs * (1 + OPEN_JITTER_SHARE * this.random());
    lane.openings = Math.min(lane.openings + 1, 30);
    lane.openedAtMs = this.nowMs();
    lane.reopensAtMs = lane.openedAtMs + openMs;
    return openMs;
  }

  private empty(lane: Lane<Job>): Job[] {
    const jobs = KINDS.flatMap((kind) => {
      const waiting = lane.waiting[kind].splice(0);
      this.count(lane.grade, kind, -waiting.length, -bytesOf(waiting));
      return waiting;
    });
    this.displace(lane);
    return jobs;
  }

  private regrade(lane: Lane<Job>, grade: 0 | 1 | 2): void {
    if (grade === lane.grade) return;
    this.displace(lane);
    for (const kind of KINDS) {
      const waiting = lane.waiting[kind];
      const bytes = bytesOf(waiting);
      this.count(lane.grade, kind, -waiting.length, -bytes);
      this.count(grade, kind, waiting.length, bytes);
    }
    lane.grade = grade;
  }

  private count(grade: number, kind: LaneKind, jobs: number, bytes: number): void {
    this.queued[grade]! += jobs;
    this.queuedBytes[grade]! += bytes;
    this.queuedByKind[kind].jobs += jobs;
    this.queuedByKind[kind].bytes += bytes;
  }

  private jobsLeft(grade: number, kind: LaneKind): number {
    return Math.min(
      leftFor(grade, this.queued, QUEUE_BY_GRADE),
      QUEUE_BY_GRADE[BRISK] * SHARE_BY_KIND[kind] - this.queuedByKind[kind].jobs,
    );
  }

  private bytesLeft(grade: number, kind: LaneKind): number {
    return Math.min(
      leftFor(grade, this.queuedBytes, QUEUED_BYTES_BY_GRADE),
      QUEUED_BYTES_BY_GRADE[BRISK] * SHARE_BY_KIND[kind] - this.queuedByKind[kind].bytes,
    );
  }

  private displace(lane: Lane<Job>): void {
    this.ready.fresh[lane.grade]!.delete(lane);
    this.ready.backlog[lane.grade]!.delete(lane);
  }

  /** Puts the lane into the rows it belongs to, at their end where it is new there. */
  private place(lane: Lane<Job>): void {
    for (const kind of KINDS) {
      const row = this.ready[kind][lane.grade]!;
      if (lane.waiting[kind].length > 0 && lane.inFlight < this.limitOf(lane)) row.add(lane);
      else row.delete(lane);
    }
  }

  private limitOf(lane: Lane<Job>): number {
    const crowded = lane.grade !== BRISK && fromGrade(UNKNOWN, this.slotsUsed) >= CROWDED_SLOTS;
    return crowded ? 1 : lane.limit;
  }

  private isOpen(lane: Lane<Job>): boolean {
    if (lane.reopensAtMs === null) return false;
    // One probe at a time, once the time is over.
    return lane.reopensAtMs > this.nowMs() || lane.inFlight + waitingIn(lane) > 0;
  }

  private hasRoom(lane: Lane<Job>, kind: LaneKind): boolean {
    if (this.isOpen(lane) || lane.waiting[kind].length >= queueOf(lane)) return false;
    return this.bytesLeft(lane.grade, kind) > 0 && this.jobsLeft(lane.grade, kind) > 0;
  }

  /** What the table may send for this store: a lot to who answers, to others no more than can start at once. */
  private roomOf(lane: Lane<Job>): number {
    if (!this.hasRoom(lane, 'backlog')) return 0;
    if (lane.reopensAtMs !== null) return 1;
    if (lane.grade === BRISK) return Math.max(0, this.shareOf(lane) - lane.waiting.backlog.length);
    return Math.max(0, lane.limit - lane.inFlight - waitingIn(lane));
  }

  /** How much of a brisk store's backlog may wait: no more than its part, so that the table is soon walked round. */
  private shareOf(lane: Lane<Job>): number {
    const part = Math.floor(BRISK_BACKLOG / Math.max(this.backlogged, 1));
    return Math.min(queueOf(lane), Math.max(part, LEAST_SHARE));
  }

  /** A lane with a backlog is filled up when half of its room is free, not for every single delivery. */
  private isWorthAsking(lane: Lane<Job>): boolean {
    return this.roomOf(lane) > (lane.grade === BRISK ? this.shareOf(lane) / 2 : 0);
  }

  private laneOf(storeId: string): Lane<Job> {
    const known = this.lanes.get(storeId);
    if (known !== undefined) return known;
    if (this.lanes.size >= MAX_LANES) this.evict();
    const lane: Lane<Job> = {
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
    this.lanes.set(storeId, lane);
    return lane;
  }

  /** Forgets a lane that does nothing. It starts anew, at 2, which is no more than another replica would do. */
  private evict(): void {
    let scanned = 0;
    for (const lane of this.lanes.values()) {
      if ((scanned += 1) > EVICTION_SCAN) return;
      this.lanes.delete(lane.storeId);
      if (lane.inFlight + waitingIn(lane) === 0) return;
      this.lanes.set(lane.storeId, lane);
    }
  }
}

function hasWalked({ after, through }: LaneWalk, storeId: string): boolean {
  return (after === null || storeId > after) && (through === null || storeId <= through);
}

function waitingIn(lane: { readonly waiting: Record<LaneKind, readonly unknown[]> }): number {
  return lane.waiting.fresh.length + lane.waiting.backlog.length;
}

/** How many of its jobs of one kind may wait. */
function queueOf<Job>(lane: Lane<Job>): number {
  const cap = LANE_QUEUE_BY_GRADE[lane.grade];
  if (lane.grade !== BRISK) return cap;
  const soon = Math.floor((lane.limit * QUEUE_HORIZON_MS) / Math.max(lane.tookMs ?? BRISK_MS, 1));
  return Math.min(cap, Math.max(soon, LEAST_BRISK_QUEUE));
}

function bytesOf(jobs: readonly LaneJob[]): number {
  return jobs.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** What that grade and the worse ones use together. */
function fromGrade(grade: number, used: readonly number[]): number {
  return used.reduce((sum, amount, g) => (g >= grade ? sum + amount : sum), 0);
}

/** What is left for a grade: it must fit under its own limit, and under those of the better grades. */
function leftFor(grade: number, used: readonly number[], limits: readonly number[]): number {
  let left = Number.POSITIVE_INFINITY;
  for (let g = 0; g <= grade; g += 1) left = Math.min(left, limits[g]! - fromGrade(g, used));
  return left;
}
