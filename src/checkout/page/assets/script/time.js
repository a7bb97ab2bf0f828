/** What moves with the time: how long the payment can still be paid, and the way back to the shop. */
function checkoutTime({ page, words, content }) {
  const LONG_WAIT_MS = 90000;
  const SOON_MS = 300000;
  /** A receipt opened later than this after the payment is only looked at: no redirect. */
  const REDIRECT_WITHIN_MS = 300000;
  /** Said once each, when so much time is left. */
  const WARNINGS = [
    [300000, words.fiveMinutesLeft],
    [60000, words.oneMinuteLeft],
  ];

  const memory = page.memory;
  let warnedAtMs = Infinity;
  /** Seconds until the page goes back to the shop; null before, negative where the payer stays. */
  let redirectLeft = null;

  function now() {
    return page.toServerTime(Date.now());
  }

  function countdownText(leftMs) {
    const seconds = Math.max(0, Math.ceil(leftMs / 1000));
    const two = (value) => String(value).padStart(2, '0');
    const days = Math.floor(seconds / 86400);
    const hours = Math.floor(seconds / 3600) % 24;
    const clock = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
    if (days > 0) return page.localDigits(`${days} ${words.days} ${two(hours)}:${clock}`);
    return page.localDigits(hours > 0 ? `${hours}:${clock}` : clock);
  }

  function showCountdown() {
    const counter = page.find('[data-countdown]');
    if (!counter) return;
    const leftMs = Number(page.data.expiresAt) - now();
    const text = countdownText(leftMs);
    if (counter.textContent !== text) counter.textContent = text;
    const row = page.find('.time-left');
    if (row) row.classList.toggle('soon', leftMs < SOON_MS);
    WARNINGS.forEach(([limitMs, warning]) => {
      if (leftMs > limitMs || leftMs <= limitMs - 5000 || warnedAtMs <= limitMs) return;
      warnedAtMs = limitMs;
      page.say(warning);
    });
  }

  /** Who waits for long is told why. */
  function explainLongWait() {
    const { status, sinceMs } = content.state;
    if (page.isPressed() || status !== 'submitted' || Date.now() - sinceMs <= LONG_WAIT_MS) return;
    const explanation = page.find('[data-long]:not([data-seen])');
    if (!explanation) return;
    explanation.open = true;
    explanation.setAttribute('data-seen', '');
  }

  // ---- Back to the shop. The countdown stands still while nobody can see it.

  function startRedirect() {
    const row = page.find('[data-redirect]');
    if (!row || content.state.status !== 'verified') return;
    if (redirectLeft === null) {
      const sinceMs = now() - Number(page.data.verifiedAt || 0);
      if (memory.left || !page.data.redirectUrl || sinceMs > REDIRECT_WITHIN_MS) return;
      redirectLeft = Number(page.data.redirectSeconds);
    }
    page.find('[data-redirect-seconds]').textContent = page.localDigits(redirectLeft);
    row.hidden = redirectLeft <= 0;
  }

  function countDownRedirect() {
    if (redirectLeft === null || redirectLeft <= 0 || document.hidden) return;
    const counter = page.find('[data-redirect-seconds]');
    if (!counter) return;
    redirectLeft -= 1;
    counter.textContent = page.localDigits(redirectLeft);
    if (redirectLeft > 0) return;
    leave();
    window.location.assign(page.data.redirectUrl);
  }

  /** The payer has been led back, and is not led back again. */
  function leave() {
    memory.left = true;
    page.remember();
  }

  function stay() {
    const row = page.find('[data-redirect]');
    redirectLeft = -1;
    if (!row || row.hidden) return;
    const link = page.find('[data-redirect-link]');
    if (row.contains(document.activeElement) && link) link.focus();
    row.textContent = words.staying;
    page.say(words.staying);
  }

  return { showCountdown, explainLongWait, startRedirect, countDownRedirect, leave, stay };
}
