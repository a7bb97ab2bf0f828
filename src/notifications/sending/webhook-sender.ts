import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import { addressVerdict, checkWebhookUrl } from './outbound-address.js';
import { OutboundAgent, type OutboundAgentOptions } from './outbound-agent.js';
import { OutboundError, type WebhookErrorCode } from './outbound-error.js';
import { LookupCache, type NameLookup, resolverLookup, systemLookup } from './outbound-lookup.js';
import { MAX_EXCERPT_BYTES, responseExcerpt } from './response-excerpt.js';

export type { WebhookErrorCode } from './outbound-error.js';

export interface WebhookRequest {
  readonly url: string;
  /** Sent as they are. Host, connection and content length are added, nothing else. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** For everything from the call of `send`, waiting for a free connection and the name look-up included. */
  readonly timeoutMs: number;
}

/** The outcome of one attempt (contract 7.15). */
export interface WebhookOutcome {
  /** A 2xx status came in time, whatever became of the body after it. */
  readonly ok: boolean;
  /** Null when no complete response head came. */
  readonly responseStatus: number | null;
  /** From the call of `send` to the end of the exchange, in whole milliseconds. */
  readonly durationMs: number;
  /** Null exactly when `ok`. */
  readonly error: WebhookErrorCode | null;
  /** At most 1 KiB of the body that PostgreSQL can hold; null when there is none. */
  readonly responseExcerpt: string | null;
  /** The `Retry-After` header as it came, at any status; null when absent or longer than 64 characters. */
  readonly retryAfter: string | null;
}

/** Makes one attempt at delivering a webhook (contract 7.15). Replaced in tests that are not about sending. */
export abstract class WebhookSender {
  /** Never follows redirects and never tries twice. Failures are outcomes; rejects only for malformed headers. */
  abstract send(request: WebhookRequest): Promise<WebhookOutcome>;

  /** Ends what still runs, as `aborted` where there is no answer yet, and resolves when nothing is open any more. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

export interface UndiciWebhookSenderOptions {
  /** `WEBHOOK_ALLOW_PRIVATE`: lets webhooks go anywhere but to metadata services. */
  readonly allowPrivate: boolean;
  /** Default: the name servers directly, with `allowPrivate` the operating system's own look-up. */
  readonly lookup?: NameLookup;
  /** PEM certificates to trust in place of Node's, which are the public ones and `NODE_EXTRA_CA_CERTS`. */
  readonly certificateAuthorities?: string;
  /** Exchanges at the same time; default 512. Each may have a socket, and as many more are kept idle. */
  readonly maxRunning?: number;
  /** Default 10 s, for the connection and its handshake. */
  readonly connectTimeoutMs?: number;
  /** Default 4 s. A receiver that announces a shorter time is obeyed. */
  readonly idleTimeoutMs?: number;
  /** Default 60 s: a connection that is older is not used again. */
  readonly maxAgeMs?: number;
}

/** Bytes of a response body that are read; the connection is closed on a longer one (contract 7.17). */
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_RETRY_AFTER_LENGTH = 64;
/** URLs whose check is remembered; it depends on nothing but the URL. */
const MAX_REMEMBERED_URLS = 1_000;
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

interface Destination {
  readonly origin: string;
  readonly path: string;
}

/**
 * Sends over undici's HTTP/1.1 agent with keep-alive, no compression, no redirects and no proxy. The URL is checked at
 * every call, addresses at every connection.
 *
 * A status counts once the response head is complete: a head that never ends is no answer, and is tried again. Interim
 * responses (1xx) are skipped, until the deadline.
 */
export class UndiciWebhookSender extends WebhookSender {
  private readonly running = new Set<Exchange>();
  private readonly destinations = new LRUCache<string, Destination>({ max: MAX_REMEMBERED_URLS });
  private readonly maxRunning: number;
  private agent: OutboundAgent | null = null;
  private creating: Promise<OutboundAgent> | null = null;
  private closed = false;

  constructor(private readonly options: UndiciWebhookSenderOptions) {
    super();
    this.maxRunning = options.maxRunning ?? 512;
  }

  override send(request: WebhookRequest): Promise<WebhookOutcome> {
    if (this.closed) return Promise.resolve(notSent('aborted'));
    const destination = this.destinationOf(request.url);
    if (destination === null) return Promise.resolve(notSent('address_refused'));
    if (this.running.size >= this.maxRunning) return Promise.resolve(notSent('overloaded'));
    const exchange = new Exchange(request, destination, () => this.running.delete(exchange));
    this.running.add(exchange);
    if (this.agent === null) void this.createAgent().then((agent) => exchange.start(agent));
    else exchange.start(this.agent);
    return exchange.outcome;
  }

  /** Ends what still runs (`aborted`, unless its status was there) and resolves when every socket is closed. */
  override async close(): Promise<void> {
    this.closed = true;
    for (const exchange of this.running) exchange.abort();
    await (await this.creating)?.destroy();
  }

  /** For the tests: exchanges under way, and sockets open or being opened. */
  get usage(): { running: number; connections: number } {
    return { running: this.running.size, connections: this.agent?.openSockets ?? 0 };
  }

  /** Null when webhooks may not go there. */
  private destinationOf(url: string): Destination | null {
    const known = this.destinations.get(url);
    if (known !== undefined) return known;
    const destination = destinationOf(url, this.options.allowPrivate);
    if (destination !== null) this.destinations.set(url, destination);
    return destination;
  }

  private async createAgent(): Promise<OutboundAgent> {
    this.creating ??= OutboundAgent.create(this.agentOptions());
    this.agent = await this.creating;
    return this.agent;
  }

  private agentOptions(): OutboundAgentOptions {
    const { options } = this;
    const cache = new LookupCache(options.lookup ?? (options.allowPrivate ? systemLookup : resolverLookup()));
    return {
      verdictOf: (address) => addressVerdict(address, options),
      addressesOf: (hostname) => cache.addressesOf(hostname),
      certificateAuthorities: options.certificateAuthorities,
      connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
      idleTimeoutMs: options.idleTimeoutMs ?? 4_000,
      maxAgeMs: options.maxAgeMs ?? 60_000,
      maxKept: this.maxRunning,
    };
  }
}

function destinationOf(input: string, allowPrivate: boolean): Destination | null {
  const verdict = checkWebhookUrl(input, { allowPrivate });
  if (!verdict.allowed) return null;
  const { url } = verdict;
  return { origin: url.origin, path: url.pathname + url.search };
}

function notSent(error: WebhookErrorCode): WebhookOutcome {
  return { ok: false, responseStatus: null, durationMs: 0, error, responseExcerpt: null, retryAfter: null };
}

/** One request and its response, from the call of `send` to the outcome. Ends once; what comes later is ignored. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly outcome: Promise<WebhookOutcome>;
  #resolve!: (outcome: WebhookOutcome) => void;
  /** The request itself was malformed, which no receiver is to blame for. */
  #reject!: (defect: Error) => void;
  readonly #startedAtMs = performance.now();
  readonly #deadline: NodeJS.Timeout;
  #leave: (() => void) | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #ended = false;
  #status: number | null = null;
  #retryAfter: string | null = null;
  #readable = true;
  #excerpt: Buffer[] = [];
  #bodyBytes = 0;

  constructor(
    private readonly request: WebhookRequest,
    private readonly destination: Destination,
    private readonly onEnd: () => void,
  ) {
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const timeoutMs = Math.min(request.timeoutMs, MAX_TIMEOUT_MS);
    this.#deadline = setTimeout(() => this.#finish('timeout'), timeoutMs);
  }

  start(agent: OutboundAgent): void {
    if (this.#ended) return;
    const { origin, path } = this.destination;
    const { headers, body } = this.request;
    const leave = agent.dispatch({ origin, path, headers, body }, this);
    // A request that undici cannot write has failed by now.
    if (this.#ended) leave();
    else this.#leave = leave;
  }

  abort(): void {
    this.#finish('aborted');
  }

  /** A connection is there. What has run out of time while it was made is not posted late. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ended) controller.abort(new OutboundError('timeout'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    const retryAfter = firstOf(headers['retry-after']);
    if (retryAfter !== undefined && /^[\x20-\x7e]+$/.test(retryAfter)) {
      this.#retryAfter = retryAfter.length <= MAX_RETRY_AFTER_LENGTH ? retryAfter : null;
    }
    // Compression was not asked for, and nothing is decompressed here: its bytes are no text.
    this.#readable = headers['content-encoding'] === undefined;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return;
    const missing = MAX_EXCERPT_BYTES - this.#bodyBytes;
    // A copy, because the chunk is a window on the much larger buffer of the socket.
    if (missing > 0) this.#excerpt.push(Buffer.from(chunk.subarray(0, missing)));
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes > MAX_RESPONSE_BYTES) this.#finish('invalid_response');
  }

  onResponseEnd(): void {
    this.#finish(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (isDefect(error)) return this.#fail(error);
    this.#finish(errorCodeOf(error));
  }

  /** `cut` is null when the response is complete; else why there will be no more of it, which a status outweighs. */
  #finish(cut: WebhookErrorCode | null): void {
    if (this.#ended) return;
    this.#end(cut);
    this.#resolve({
      ok: this.#status !== null && isSuccess(this.#status),
      responseStatus: this.#status,
      durationMs: Math.round(performance.now() - this.#startedAtMs),
      error: this.#status === null ? (cut ?? 'invalid_response') : statusError(this.#status),
      responseExcerpt: this.#readable ? responseExcerpt(Buffer.concat(this.#excerpt)) : null,
      retryAfter: this.#retryAfter,
    });
  }

  #fail(error: Error): void {
    if (this.#ended) return;
    this.#end('aborted');
    this.#reject(error);
  }

  /** A connection whose response is not complete cannot be used again. */
  #end(cut: WebhookErrorCode | null): void {
    this.#ended = true;
    clearTimeout(this.#deadline);
    this.#leave?.();
    this.onEnd();
    if (cut !== null) this.#controller?.abort(new OutboundError(cut));
  }
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function statusError(status: number): WebhookErrorCode | null {
  if (isSuccess(status)) return null;
  return status >= 300 && status < 400 ? 'redirect' : 'http_status';
}

/** undici refuses a request it cannot write, for instance a header with a line break. */
function isDefect(error: Error): boolean {
  const code = undiciCode(error);
  return code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED';
}

function errorCodeOf(error: Error): WebhookErrorCode {
  if (error instanceof OutboundError) return error.code;
  const isUnreadable = error.name === 'HTTPParserError' || UNREADABLE.has(undiciCode(error));
  return isUnreadable ? 'invalid_response' : 'connection_failed';
}

/** An impossible status fails an assertion within undici. */
const UNREADABLE: ReadonlySet<string> = new Set([
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'ERR_ASSERTION',
]);

function undiciCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
