/**
 * Requests, and the line at the top that says the connection is gone.
 *
 * @param words the words of the page's language
 * @param isSending whether a submission is under way, which is kept while there is no connection
 */
function checkoutRequests({ page, words, isSending }) {
  const REQUEST_TIMEOUT_MS = 15000;
  const RETRY_FIRST_MS = 1000;
  const RETRY_MOST_MS = 15000;

  const line = document.getElementById('connection');
  let lineText = '';

  /** Answers status, text and the time of `Retry-After`; null where there was no answer. */
  async function request(method, url, accept, body) {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), REQUEST_TIMEOUT_MS);
    try {
      const headers = { Accept: accept };
      if (body) headers['Content-Type'] = 'application/json';
      const response = await fetch(url, {
        method,
        headers,
        body: body && JSON.stringify(body),
        cache: 'no-store',
        credentials: 'same-origin',
        signal: abort.signal,
      });
      const text = await response.text();
      return { status: response.status, text, retryAfterMs: retryAfter(response) };
    } catch (_) {
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  function retryAfter(response) {
    const value = response.headers.get('Retry-After');
    if (!value) return 0;
    const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
    return waitMs > 0 ? waitMs : 0;
  }

  function parse(text) {
    try {
      return JSON.parse(text) || {};
    } catch (_) {
      return {};
    }
  }

  /** Ends early when the connection is back. */
  function pause(waitMs) {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        window.removeEventListener('online', end);
        resolve();
      };
      const timer = setTimeout(end, waitMs);
      window.addEventListener('online', end);
    });
  }

  /**
   * Calls `attempt` until it answers something else than `again(answer)`; the pauses in between grow, and last at least
   * as long as the answer asks for.
   */
  async function retry(attempt) {
    for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MOST_MS)) {
      const { done, result, answer } = await attempt();
      if (done) return result;
      await pause(Math.max(waitMs, answer ? answer.retryAfterMs : 0));
    }
  }

  function disconnected() {
    const offline = navigator.onLine === false;
    if (isSending()) showLine(offline ? words.keptOffline : words.keptUnreachable);
    else showLine(offline ? words.offline : words.unreachable);
  }

  function connected() {
    if (lineText === '') return;
    showLine('');
    page.say(words.online);
  }

  /** The line takes its room from what stands below, so it waits until nothing is being pressed. */
  function showLine(text) {
    lineText = text;
    page.afterPress(() => {
      if (line.textContent !== lineText) line.textContent = lineText;
    });
  }

  return { request, parse, pause, retry, connected, disconnected, busy: () => showLine(words.notices.busy) };
}
