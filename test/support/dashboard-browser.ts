/** A browser without a screen: keeps cookies, and knows the token of the forms it was shown. */
export class DashboardBrowser {
  private readonly cookies = new Map<string, string>();
  token = '';
  /** The last `Set-Cookie` of the session. */
  lastCookie = '';

  constructor(private readonly origin: string) {}

  static async signIn(origin: string, user: { email: string; password: string }): Promise<DashboardBrowser> {
    const browser = new DashboardBrowser(origin);
    await browser.request('GET', '/dashboard/sign-in');
    const answer = await browser.submitSignIn(user, '');
    if (answer.status !== 303) throw new Error(`Signing in was answered ${answer.status}: ${answer.text}`);
    await browser.request('GET', '/dashboard/account');
    return browser;
  }

  /** A second browser with the same cookies, as a thief would have. */
  clone(): DashboardBrowser {
    const thief = new DashboardBrowser(this.origin);
    for (const [name, value] of this.cookies) thief.cookies.set(name, value);
    return thief;
  }

  submitSignIn(user: { email: string; password: string }, next: string) {
    const fields = { email: user.email, password: user.password, next };
    return this.request('POST', '/dashboard/sign-in', { fields, withToken: true });
  }

  async request(
    method: string,
    path: string,
    options: {
      fields?: Record<string, string>;
      headers?: Record<string, string>;
      withToken?: boolean;
      /** A file, sent after the fields as a browser does. */
      file?: { readonly name: string; readonly bytes: Buffer };
      /** Ignores what the answer sets, as who has stolen the cookie would. */
      keepCookie?: boolean;
    } = {},
  ): Promise<{ status: number; headers: Headers; text: string }> {
    const fields = new URLSearchParams({
      ...(options.withToken === true ? { _token: this.token } : {}),
      ...options.fields,
    });
    const form = options.file === undefined ? null : new FormData();
    for (const [name, value] of fields) form?.append(name, value);
    if (options.file !== undefined)
      form?.append(options.file.name, new Blob([new Uint8Array(options.file.bytes)]), 'picture');
    const answer = await fetch(this.origin + path, {
      method,
      redirect: 'manual',
      headers: {
        Cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(method === 'POST' && form === null
          ? { 'Content-Type': 'application/x-www-form-urlencoded' }
          : {}),
        // A file may be refused before all of it is sent: no other request may use its connection.
        ...(form === null ? {} : { Connection: 'close' }),
        ...options.headers,
      },
      body: form ?? (method === 'POST' ? fields.toString() : null),
    });
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream) await answer.body?.cancel();
    const text = isStream ? '' : await answer.text();
    if (options.keepCookie !== true) this.keep(answer.headers.getSetCookie());
    if (method === 'GET') this.token = /name="_token" value="([^"]+)"/.exec(text)?.[1] ?? this.token;
    return { status: answer.status, headers: answer.headers, text };
  }

  /** Sends a form with a file, its fields first. */
  async upload(
    path: string,
    { fields, text }: { fields: Record<string, string>; text: string },
  ): Promise<{ status: number; text: string }> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([text]), 'statement.csv');
    const cookies = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(this.origin + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie: cookies },
      body: form,
    });
    return { status: answer.status, text: await answer.text() };
  }

  private keep(set: readonly string[]): void {
    for (const line of set) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=', 2);
      if (name === 'joma_session') this.lastCookie = line;
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}
