import { DomainError } from '../../kernel/domain-error.js';
import type { ServerResponse } from 'node:http';
import { rateLimited } from './problems/http.problems.js';

/** When a reader that found no place may try again, in seconds. */
const RETRY_AFTER_SECONDS = 15;
/** How often a stream without news carries a comment (contract 5.18). */
const COMMENT_INTERVAL_MS = 15_000;

/** Headers of an event stream; without the last one nginx would collect events until they fill a buffer. */
export const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
} as const;

/** A limit on open streams that have something in common, for instance one session. */
export interface StreamPlace {
  /** The name of what the counted streams share; unique among all limits. */
  readonly name: string;
  /** The most streams that may be open under this name. */
  readonly most: number;
}

/**
 * The open event streams (Server-Sent Events) of one kind on this replica, and their limits (contract 14.42 and
 * 14.43). A stream is counted from the moment it is requested, before anything is awaited, until its response is
 * closed.
 */
export class EventStreams {
  private readonly open = new Map<
    EventStream,
    { readonly reader: string; readonly names: readonly string[] }
  >();
  private readonly counts = new Map<string, number>();
  private comments: NodeJS.Timeout | null = null;

  /** @param most the most streams of this kind on this replica */
  constructor(private readonly most: number) {}

  get size(): number {
    return this.open.size;
  }

  /**
   * Counts a new stream. If the replica has no room, the reader with the most streams loses its oldest stream; if that
   * reader is the caller, the new stream is refused (contract 14.43).
   *
   * @param reader who reads: a user, or an address without a credential
   * @throws DomainError `request.rate_limited` when one of `places` is used up, or the replica is full
   */
  take(response: ServerResponse, reader: string, places: readonly StreamPlace[]): EventStream {
    if (places.some(({ name, most }) => this.countOf(name) >= most)) throw tooMany();
    if (this.open.size >= this.most) this.makeRoomFor(reader);
    const stream = new EventStream(response);
    const names = [`reader ${reader}`, ...places.map(({ name }) => name)];
    this.open.set(stream, { reader, names });
    for (const name of names) this.counts.set(name, this.countOf(name) + 1);
    stream.whenClosed(() => this.forget(stream));
    this.comments ??= setInterval(() => this.comment(), COMMENT_INTERVAL_MS).unref();
    return stream;
  }

  /** Ends them all. */
  end(): void {
    if (this.comments !== null) clearInterval(this.comments);
    for (const stream of this.open.keys()) stream.end();
  }

  /** A comment for all of them, so that proxies in between do not take them for dead. */
  private comment(): void {
    for (const stream of this.open.keys()) stream.comment();
  }

  private countOf(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  private makeRoomFor(reader: string): void {
    let largest = reader;
    for (const { reader: other } of this.open.values())
      if (this.countOf(`reader ${other}`) > this.countOf(`reader ${largest}`)) largest = other;
    // Its count with the new stream must stay below that of who gives a place up, or both would take turns.
    if (largest === reader || this.countOf(`reader ${largest}`) <= this.countOf(`reader ${reader}`) + 1)
      throw tooMany();
    for (const [stream, of] of this.open) {
      if (of.reader !== largest) continue;
      stream.end();
      this.forget(stream);
      return;
    }
  }

  private forget(stream: EventStream): void {
    const of = this.open.get(stream);
    if (of === undefined) return;
    this.open.delete(stream);
    for (const name of of.names) {
      const left = this.countOf(name) - 1;
      if (left === 0) this.counts.delete(name);
      else this.counts.set(name, left);
    }
  }
}

/** One response that is an event stream. Writing to it after its end does nothing. */
export class EventStream {
  private last = '';

  constructor(private readonly response: ServerResponse) {
    response.on('error', () => response.destroy());
  }

  get isOpen(): boolean {
    return !this.response.closed && !this.response.destroyed && !this.response.writableEnded;
  }

  /** Calls `act` once the response is closed; at once if it is closed already. */
  whenClosed(act: () => void): void {
    // The reader may have gone while something was awaited: no further `close` comes then.
    if (this.isOpen) this.response.once('close', act);
    else act();
  }

  /** Writes the head. The framework must have given the response away. */
  begin(): void {
    if (!this.isOpen) return;
    for (const [name, value] of Object.entries(STREAM_HEADERS)) this.response.setHeader(name, value);
    this.response.writeHead(200);
    this.response.flushHeaders();
  }

  /** Sends an event, unless it is the same as the one before. */
  send(name: string, data: unknown): void {
    const event = `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
    if (event === this.last || !this.isOpen) return;
    this.last = event;
    this.response.write(event);
  }

  comment(): void {
    if (this.isOpen && this.response.headersSent) this.response.write(': alive\n\n');
  }

  end(): void {
    if (!this.response.writableEnded) this.response.end();
  }
}

function tooMany(): DomainError {
  return rateLimited.saying('Too many open event streams.', { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
