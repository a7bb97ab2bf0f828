import { expectDocumented } from './answer-validation.js';

/** An answer with its body read: parsed when it is JSON. */
export interface HttpAnswer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

export interface HttpRequest {
  readonly headers?: Record<string, string>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly text?: string;
}

/** Talks to a service from outside, as any client would; what it answers must be what the document says. */
export class HttpClient {
  constructor(readonly url: string) {}

  async request<Body = Record<string, unknown>>(
    method: string,
    path: string,
    { headers = {}, body, text }: HttpRequest = {},
  ): Promise<HttpAnswer<Body>> {
    const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const answer = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      headers: { ...(payload === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      body: payload,
    });
    const received = await answer.text();
    const isJson = /json/.test(answer.headers.get('content-type') ?? '');
    const parsed = (isJson && received !== '' ? JSON.parse(received) : {}) as Body;
    const contentType = answer.headers.get('content-type') ?? '';
    expectDocumented({ method, path, status: answer.status, contentType, body: parsed });
    return { status: answer.status, headers: answer.headers, text: received, body: parsed };
  }

  get<Body = Record<string, unknown>>(
    path: string,
    headers?: Record<string, string>,
  ): Promise<HttpAnswer<Body>> {
    return this.request<Body>('GET', path, { headers });
  }

  post<Body = Record<string, unknown>>(
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<HttpAnswer<Body>> {
    return this.request<Body>('POST', path, { headers, body });
  }
}
