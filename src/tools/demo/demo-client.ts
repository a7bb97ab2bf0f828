/** How long one answer may take, in milliseconds. */
const ANSWER_TIMEOUT_MS = 15_000;

type Headers = Readonly<Record<string, string>>;

/**
 * Calls the service as any client would; an answer that is no success becomes an error with the problem's own words.
 */
export class ApiClient {
  constructor(private readonly url: string) {}

  async get<Answer>(path: string, headers: Headers = {}): Promise<Answer> {
    return (await this.request('GET', path, headers)) as Answer;
  }

  async post<Answer>(path: string, body: unknown, headers: Headers = {}): Promise<Answer> {
    return (await this.request('POST', path, headers, body)) as Answer;
  }

  async delete(path: string, headers: Headers): Promise<void> {
    await this.request('DELETE', path, headers);
  }

  /** A page as a browser gets it. */
  async page(address: string): Promise<string> {
    const answer = await fetch(address, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    if (!answer.ok) throw new Error(`GET ${address} was answered ${answer.status}.`);
    return answer.text();
  }

  /** Sends the form of a page as a browser does; answers where it leads. */
  async sendForm(address: string, page: string, typed: Readonly<Record<string, string>>): Promise<string> {
    const hidden = [...page.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value] as const,
    );
    const answer = await fetch(address, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ ...Object.fromEntries(hidden), ...typed }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    if (answer.status !== 303) throw new Error(`POST ${address} was answered ${answer.status}.`);
    return answer.headers.get('location') ?? '';
  }

  private async request(method: string, path: string, headers: Headers, body?: unknown): Promise<unknown> {
    const answer = await fetch(this.url + path, {
      method,
      headers: body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${explain(text)}`);
    return text === '' ? null : (JSON.parse(text) as unknown);
  }
}

function explain(text: string): string {
  try {
    const { code, detail } = JSON.parse(text) as { code?: string; detail?: string };
    return `${code ?? 'no code'}, ${detail ?? 'no detail'}`;
  } catch {
    return text.slice(0, 200);
  }
}
