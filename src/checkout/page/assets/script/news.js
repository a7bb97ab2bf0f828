/**
 * How the page hears of changes: a stream of events, and asking now and then in case the stream is not there.
 *
 * @param isSending whether a submission is under way
 */
function checkoutNews({ page, requests, content, isSending }) {
  const STREAM_RETRY_MS = 15000;
  const CHECK_WHILE_STREAMING_MS = 30000;

  const state = content.state;
  let source = null;
  let streaming = false;
  let listenAgainAt = 0;
  let checkAt = Date.now() + 3000;
  let checkedAt = 0;
  let checking = false;
  let failedChecks = 0;

  function listen() {
    stop();
    if (content.isFinal()) return;
    source = new EventSource(`${page.data.api}/events`);
    source.onopen = () => {
      streaming = true;
      checkAt = Date.now() + CHECK_WHILE_STREAMING_MS;
      heard();
    };
    source.addEventListener('status', (event) => {
      streaming = true;
      failedChecks = 0;
      heard();
      content.change(requests.parse(event.data), {});
    });
    source.onerror = () => {
      streaming = false;
      checkAt = Math.min(checkAt, Date.now() + 1000);
      if (source && source.readyState === EventSource.CLOSED) stop();
    };
  }

  /** What was already under way when the connection went does not mean that it is back. */
  function heard() {
    if (navigator.onLine !== false) requests.connected();
  }

  function stop() {
    if (source) source.close();
    source = null;
    streaming = false;
    listenAgainAt = Date.now() + STREAM_RETRY_MS;
  }

  function checkIntervalMs() {
    if (streaming) return CHECK_WHILE_STREAMING_MS;
    const waitedMs = Date.now() - state.sinceMs;
    if (document.hidden) return 30000;
    if (state.status === 'submitted') return waitedMs < 120000 ? 3000 : waitedMs < 600000 ? 5000 : 10000;
    return state.status === 'pending' ? 6000 : 15000;
  }

  async function check() {
    if (checking || content.isFinal()) return;
    checking = true;
    checkedAt = Date.now();
    const answer = await requests.request('GET', page.data.api, 'application/json');
    checking = false;
    checkAt = Date.now() + Math.max(checkIntervalMs(), answer ? answer.retryAfterMs : 0);
    if (answer && answer.status === 200) {
      failedChecks = 0;
      if (!isSending()) requests.connected();
      const payment = requests.parse(answer.text);
      page.setServerTime(Date.parse(payment.serverTime));
      await content.change(payment, {});
    } else if (answer && answer.status === 404) {
      await content.refresh({});
    } else if (!answer || answer.status >= 500) {
      failedChecks += 1;
      if (failedChecks > 1 || navigator.onLine === false) requests.disconnected();
    }
  }

  /** Once a second, until the state is final. */
  function tick() {
    const now = Date.now();
    if (!source && now >= listenAgainAt) listen();
    const expiresAt = Number(page.data.expiresAt);
    if (state.status === 'pending' && page.toServerTime(now) >= expiresAt) {
      const notSinceThen = page.toServerTime(checkedAt) < expiresAt;
      checkAt = Math.min(checkAt, notSinceThen ? now : checkedAt + 2000);
    }
    if (now >= checkAt) {
      checkAt = now + checkIntervalMs();
      check();
    }
  }

  /** The tab or the connection is back. */
  function wake() {
    if (content.isFinal()) return;
    if (!source || source.readyState === EventSource.CLOSED) listen();
    check();
  }

  return { listen, stop, tick, wake };
}
