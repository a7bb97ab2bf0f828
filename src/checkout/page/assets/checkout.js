/*
 * The checkout page without full reloads. The server renders every state and this script exchanges the page's content
 * when the payment changes, so that nothing is worded or drawn twice. Where it does not run, the plain form works.
 * Written for old phones' browsers: no build step, nothing newer than ECMAScript 2018.
 */
/* global checkoutWords -- written before this file, in the language of the page */
(() => {
  'use strict';

  const words = checkoutWords;
  const page = document.getElementById('page');
  if (!page || !page.dataset.id || !window.fetch || !window.EventSource || !window.AbortController) return;

  const live = document.getElementById('live');
  const connection = document.getElementById('connection');
  const storeKey = `joma:${page.dataset.id}`;

  const REQUEST_TIMEOUT_MS = 15000;
  const RETRY_FIRST_MS = 1000;
  const RETRY_MOST_MS = 15000;
  const STREAM_RETRY_MS = 15000;
  const CHECK_WHILE_STREAMING_MS = 30000;
  const INTERIM_AFTER_MS = 150;
  const LONG_WAIT_MS = 90000;
  const CHECK_SHOWN_MS = 500;
  const PRESS_MOST_MS = 3000;
  const CLICK_WITHIN_MS = 350;
  /** A receipt opened later than this after the payment is only looked at: no redirect. */
  const REDIRECT_WITHIN_MS = 300000;

  let status = '';
  let reason = '';
  let clockOffsetMs = 0;
  let stateSince = Date.now();
  let memory = recall();

  // ---- What is remembered in this tab: what was typed, the wallet, and whether the shop was visited already.

  function recall() {
    try {
      return Object.assign({ entries: {} }, JSON.parse(sessionStorage.getItem(storeKey) || '{}'));
    } catch (_) {
      return { entries: {} };
    }
  }

  function remember() {
    try {
      sessionStorage.setItem(storeKey, JSON.stringify(memory));
    } catch (_) {
      // Without storage the page forgets on reload, nothing else.
    }
  }

  // ---- Words, numbers and time.

  function localDigits(text) {
    const latin = String(text);
    return page.dataset.language === 'bn' ? latin.replace(/[0-9]/g, (digit) => '০১২৩৪৫৬৭৮৯'[digit]) : latin;
  }

  function latinDigits(text) {
    return text.replace(/[০-৯]/g, (digit) => String(digit.charCodeAt(0) - 0x9e6));
  }

  function serverNow() {
    return Date.now() + clockOffsetMs;
  }

  function setServerTime(atMs) {
    if (isFinite(atMs)) clockOffsetMs = atMs - Date.now();
  }

  function countdownText(leftMs) {
    const seconds = Math.max(0, Math.ceil(leftMs / 1000));
    const two = (value) => String(value).padStart(2, '0');
    const days = Math.floor(seconds / 86400);
    const hours = Math.floor(seconds / 3600) % 24;
    const clock = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
    if (days > 0) return localDigits(`${days} ${words.days} ${two(hours)}:${clock}`);
    return localDigits(hours > 0 ? `${hours}:${clock}` : clock);
  }

  /** Read out by screen readers. Emptied first, so that the same words twice are two messages. */
  function say(text) {
    live.textContent = '';
    setTimeout(() => {
      live.textContent = text;
    }, 60);
  }

  function find(selector, within) {
    return (within || page).querySelector(selector);
  }

  function findAll(selector) {
    return Array.from(page.querySelectorAll(selector));
  }

  // ---- A press begins and ends: a control that moves or goes away in between does not get the click.

  let pressed = false;
  let pressEnds = 0;
  const waiting = [];

  function pressEndsIn(waitMs) {
    clearTimeout(pressEnds);
    pressEnds = setTimeout(() => {
      pressed = false;
      waiting.splice(0).forEach((action) => action());
    }, waitMs);
  }

  /** Runs at once, or when the press that is under way has ended. */
  function afterPress(action) {
    if (pressed) waiting.push(action);
    else action();
  }

  function pressStarts(event) {
    if (event.button) return;
    pressed = true;
    pressEndsIn(PRESS_MOST_MS);
  }

  // The click comes after the pointer is up, on touch screens a little later.
  window.addEventListener('pointerdown', pressStarts, true);
  window.addEventListener('pointerup', () => pressed && pressEndsIn(CLICK_WITHIN_MS), true);
  window.addEventListener('pointercancel', () => pressed && pressEndsIn(0), true);
  window.addEventListener('click', () => pressed && pressEndsIn(0), true);

  // ---- Requests.

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

  // ---- The line at the top that says the connection is gone.

  let sendingEntry = false;
  let connectionText = '';

  function disconnected() {
    const offline = navigator.onLine === false;
    const text = sendingEntry
      ? offline
        ? words.keptOffline
        : words.keptUnreachable
      : offline
        ? words.offline
        : words.unreachable;
    showConnection(text);
  }

  function connected() {
    if (connectionText === '') return;
    showConnection('');
    say(words.online);
  }

  /** The line takes its room from what stands below, so it waits until nothing is being pressed. */
  function showConnection(text) {
    connectionText = text;
    afterPress(() => {
      if (connection.textContent !== connectionText) connection.textContent = connectionText;
    });
  }

  // ---- Exchanging the content.

  let refreshCount = 0;
  /** Status and reason of the content that is on the screen. */
  let shown = '';

  /**
   * Fetches the page as it is now and puts it in place; tries until that succeeds or a newer call takes over.
   * True when this call's page is the one on the screen. Options: `url`, `focus` (the heading gets the focus), `fresh`
   * (begins at the top even where the state is the same), `once`.
   */
  async function refresh(options) {
    refreshCount += 1;
    const own = refreshCount;
    for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MOST_MS)) {
      const answer = await request('GET', options.url || page.dataset.self, 'text/html').catch(() => null);
      await new Promise(afterPress);
      if (own !== refreshCount) return false;
      if (answer && (answer.status === 200 || answer.status === 404) && exchange(answer.text, options)) {
        connected();
        return true;
      }
      if (options.once) return false;
      disconnected();
      await pause(Math.max(waitMs, answer ? answer.retryAfterMs : 0));
      if (own !== refreshCount) return false;
    }
  }

  function exchange(text, options) {
    const next = new DOMParser().parseFromString(text, 'text/html');
    const nextPage = next.getElementById('page');
    const nextContent = next.getElementById('content');
    const content = document.getElementById('content');
    if (!nextPage || !nextContent) return false;

    const before = shown;
    const focused = content.contains(document.activeElement) ? document.activeElement : null;
    const folds = findAll('details').map((fold) => fold.open);
    content.parentNode.replaceChild(document.importNode(nextContent, true), content);
    Object.keys(page.dataset).forEach((name) => delete page.dataset[name]);
    Object.assign(page.dataset, nextPage.dataset);
    document.documentElement.lang = next.documentElement.lang;
    document.title = next.title;
    takeOver();

    const changed = before !== shown || Boolean(options.fresh);
    if (!changed) findAll('details').forEach((fold, index) => (fold.open = folds[index] || fold.open));
    if (changed) window.scrollTo(0, 0);
    const heading = document.getElementById('state');
    const toHeading = heading && (options.focus || (changed && focused));
    const same = focused && focused.id && document.getElementById(focused.id);
    if (toHeading) heading.focus({ preventScroll: true });
    else if (same) same.focus({ preventScroll: true });
    if (changed)
      say(
        (toHeading ? ['.redirect:not([hidden])'] : ['#state', '.lead', '.redirect:not([hidden])'])
          .map(textOf)
          .join(' '),
      );
    return true;
  }

  function textOf(selector) {
    const element = find(selector);
    return element ? element.textContent.replace(/\s+/g, ' ').trim() : '';
  }

  /** After loading and after each exchange: reads the page's data and switches on what needs the script. */
  function takeOver() {
    const previous = shown;
    if (!page.dataset.id) {
      status = 'unknown';
      shown = status;
      stopListening();
      return;
    }
    status = page.dataset.status;
    reason = page.dataset.reason;
    shown = `${status} ${reason} ${page.dataset.limited}`;
    if (previous !== shown) stateSince = Date.now();
    setServerTime(Number(page.dataset.serverTime));
    findAll('[data-copy], [data-countdown-row], [data-with-script]').forEach(
      (element) => (element.hidden = false),
    );
    findAll('[data-without-script]').forEach((element) => (element.hidden = true));
    findAll('[data-print]').forEach((element) => (element.hidden = !window.print));
    findAll('[data-save-qr]').forEach((element) => (element.hidden = !window.Path2D));
    const canPaste = navigator.clipboard && navigator.clipboard.readText;
    findAll('[data-paste]').forEach((element) => (element.hidden = !canPaste));
    findAll('form').forEach((form) => (form.noValidate = true));
    restoreTyped();
    startRedirect();
    if (isFinal()) stopListening();
    showCountdown();
  }

  function isFinal() {
    return status === 'verified' || status === 'cancelled' || status === 'unknown';
  }

  function restoreTyped() {
    const chosen = memory.wallet && document.getElementById(memory.wallet);
    if (chosen && chosen.type === 'radio') chosen.checked = true;
    findAll('form input[type="text"]').forEach((input) => {
      if (!input.value && memory.entries[input.id]) input.value = memory.entries[input.id];
    });
  }

  /**
   * The payment has another state, by whichever way this was heard. The page for it is fetched; should that take
   * long, its heading is shown in the meantime.
   */
  async function change(update, options) {
    const nextReason = update.reviewReason === undefined ? reason : update.reviewReason || '';
    const same = update.status === status && (status !== 'review' || nextReason === reason);
    if (!update.status || (same && !options.force)) return;
    const content = document.getElementById('content');
    const focus = Boolean(options.focus) || content.contains(document.activeElement);
    status = update.status;
    reason = nextReason;
    attempt += 1;
    sendingEntry = false;
    if (status === 'submitted' || status === 'verified' || status === 'review') {
      memory.entries = {};
      remember();
    }
    const interim = setTimeout(() => showInterim(), INTERIM_AFTER_MS);
    await refresh({ focus, fresh: Boolean(options.force) });
    clearTimeout(interim);
  }

  function showInterim() {
    const main = document.getElementById('main');
    if (pressed || !words.headings[status] || page.dataset.status === status) return;
    const card = document.createElement('section');
    card.className = 'card status';
    const heading = document.createElement('h1');
    heading.id = 'state';
    heading.tabIndex = -1;
    heading.textContent = words.headings[status];
    const lead = document.createElement('p');
    lead.textContent = words.loading;
    card.appendChild(heading);
    card.appendChild(lead);
    while (main.firstChild) main.removeChild(main.firstChild);
    main.appendChild(card);
    document.title = words.titles[status];
  }

  // ---- Hearing of changes: a stream of events, and asking now and then in case the stream is not there.

  let source = null;
  let streaming = false;
  let listenAgainAt = 0;
  let checkAt = Date.now() + 3000;
  let checkedAt = 0;
  let checking = false;
  let failedChecks = 0;

  function listen() {
    stopListening();
    if (isFinal()) return;
    source = new EventSource(`${page.dataset.api}/events`);
    source.onopen = () => {
      streaming = true;
      checkAt = Date.now() + CHECK_WHILE_STREAMING_MS;
      heard();
    };
    source.addEventListener('status', (event) => {
      streaming = true;
      failedChecks = 0;
      heard();
      change(parse(event.data), {});
    });
    source.onerror = () => {
      streaming = false;
      checkAt = Math.min(checkAt, Date.now() + 1000);
      if (source && source.readyState === EventSource.CLOSED) stopListening();
    };
  }

  /** What was already under way when the connection went does not mean that it is back. */
  function heard() {
    if (navigator.onLine !== false) connected();
  }

  function stopListening() {
    if (source) source.close();
    source = null;
    streaming = false;
    listenAgainAt = Date.now() + STREAM_RETRY_MS;
  }

  function checkIntervalMs() {
    if (streaming) return CHECK_WHILE_STREAMING_MS;
    const waitedMs = Date.now() - stateSince;
    if (document.hidden) return 30000;
    if (status === 'submitted') return waitedMs < 120000 ? 3000 : waitedMs < 600000 ? 5000 : 10000;
    return status === 'pending' ? 6000 : 15000;
  }

  async function check() {
    if (checking || isFinal()) return;
    checking = true;
    checkedAt = Date.now();
    const answer = await request('GET', page.dataset.api, 'application/json').catch(() => null);
    checking = false;
    checkAt = Date.now() + Math.max(checkIntervalMs(), answer ? answer.retryAfterMs : 0);
    if (answer && answer.status === 200) {
      failedChecks = 0;
      if (!sendingEntry) connected();
      const payment = parse(answer.text);
      setServerTime(Date.parse(payment.serverTime));
      await change(payment, {});
    } else if (answer && answer.status === 404) {
      await refresh({});
    } else if (!answer || answer.status >= 500) {
      failedChecks += 1;
      if (failedChecks > 1 || navigator.onLine === false) disconnected();
    }
  }

  // ---- Once a second.

  function everySecond() {
    const now = Date.now();
    showCountdown();
    countDownRedirect();
    if (isFinal()) return;
    if (!source && now >= listenAgainAt) listen();
    const over = status === 'pending' && serverNow() >= Number(page.dataset.expiresAt);
    if (over) {
      const notSinceThen = checkedAt + clockOffsetMs < Number(page.dataset.expiresAt);
      checkAt = Math.min(checkAt, notSinceThen ? now : checkedAt + 2000);
    }
    if (now >= checkAt) {
      checkAt = now + checkIntervalMs();
      check();
    }
    const long =
      !pressed &&
      status === 'submitted' &&
      now - stateSince > LONG_WAIT_MS &&
      find('[data-long]:not([data-seen])');
    if (long) {
      long.open = true;
      long.setAttribute('data-seen', '');
    }
  }

  let warnedAtMs = Infinity;

  function showCountdown() {
    const counter = find('[data-countdown]');
    if (!counter) return;
    const leftMs = Number(page.dataset.expiresAt) - serverNow();
    const text = countdownText(leftMs);
    if (counter.textContent !== text) counter.textContent = text;
    const row = find('.time-left');
    if (row) row.classList.toggle('soon', leftMs < 300000);
    [
      [300000, words.fiveMinutesLeft],
      [60000, words.oneMinuteLeft],
    ].forEach(([limitMs, text]) => {
      if (leftMs <= limitMs && leftMs > limitMs - 5000 && warnedAtMs > limitMs) {
        warnedAtMs = limitMs;
        say(text);
      }
    });
  }

  // ---- Back to the shop. The countdown stands still while nobody can see it.

  let redirectLeft = null;

  function startRedirect() {
    const row = find('[data-redirect]');
    if (!row || status !== 'verified') return;
    if (redirectLeft === null) {
      const sinceMs = serverNow() - Number(page.dataset.verifiedAt || 0);
      if (memory.left || !page.dataset.redirectUrl || sinceMs > REDIRECT_WITHIN_MS) return;
      redirectLeft = Number(page.dataset.redirectSeconds);
    }
    find('[data-redirect-seconds]').textContent = localDigits(redirectLeft);
    row.hidden = redirectLeft <= 0;
  }

  function countDownRedirect() {
    if (redirectLeft === null || redirectLeft <= 0 || document.hidden) return;
    const counter = find('[data-redirect-seconds]');
    if (!counter) return;
    redirectLeft -= 1;
    counter.textContent = localDigits(redirectLeft);
    if (redirectLeft <= 0) {
      memory.left = true;
      remember();
      window.location.assign(page.dataset.redirectUrl);
    }
  }

  function stay() {
    const row = find('[data-redirect]');
    redirectLeft = -1;
    if (!row || row.hidden) return;
    const link = find('[data-redirect-link]');
    if (row.contains(document.activeElement) && link) link.focus();
    row.textContent = words.staying;
    say(words.staying);
  }

  // ---- What the payer types. The rules are those of submission.ts.

  let attempt = 0;

  function readEntry(form, typed) {
    const text = latinDigits(typed).replace(/[\u00AD\u200B-\u200F\u2060\uFEFF\u202A-\u202E]/g, '');
    if (form.dataset.kind === 'last4digit') {
      const number = text.replace(/[\s()+\u2010-\u2015\u2212-]/g, '');
      const plain = /^(?:[0-9]{4}|[0-9]{9,19})$/.test(number);
      const masked = /^(?=.*[*•●xX])[0-9*•●xX]{1,36}[0-9]{4}$/.test(number);
      return plain || masked ? { value: number.slice(-4) } : { problem: 'last4digit.invalid' };
    }
    const id = transactionIdIn(text);
    if (/^[0-9]{4,5}$/.test(id) && form.dataset.known === 'yes') return { problem: 'entry.pin' };
    if (/^(\+?88)?01[3-9][0-9]{8}$/.test(id)) return { problem: 'trxId.phone' };
    return /^[A-Z0-9._-]{4,64}$/.test(id) ? { value: id } : { problem: 'trxId.invalid' };
  }

  function transactionIdIn(text) {
    const labelled = /(?:^|[^A-Z])T(?:rx|xn|rnx|x)\s?ID\b[\s:#.-]*([A-Z0-9][A-Z0-9._-]{3,63})/gi;
    let id = null;
    for (let match = labelled.exec(text); match; match = labelled.exec(text))
      id = match[1].replace(/[._-]+$/, '');
    return (id === null ? text.replace(/\s+/g, '') : id).replace(/[a-z]+/g, (letters) =>
      letters.toUpperCase(),
    );
  }

  function entryOf(form) {
    return find('input[type="text"]', form);
  }

  function showError(form, text) {
    const line = find('.error', form);
    find('[data-error]', line).textContent = text;
    line.hidden = false;
    find('[data-doubt-text]', form).hidden = true;
    const input = entryOf(form);
    input.setAttribute('aria-invalid', 'true');
    input.focus();
    say(text);
  }

  function hideError(form) {
    find('.error', form).hidden = true;
    entryOf(form).removeAttribute('aria-invalid');
  }

  /** When the field loses the focus, which a press of the button does: nothing above the button may move. */
  function showDoubt(form) {
    const line = find('[data-doubt-text]', form);
    const typed = entryOf(form).value;
    const read = readEntry(form, typed);
    const pattern = form.dataset.pattern;
    const doubtful = typed && read.value && pattern && !new RegExp(`^(?:${pattern})$`).test(read.value);
    line.textContent = doubtful ? form.dataset.doubt : '';
    line.hidden = !doubtful;
    if (doubtful) say(form.dataset.doubt);
  }

  function setBusy(form, busy) {
    const button = find('button[type="submit"]', form);
    if (busy) button.dataset.label = button.textContent;
    button.textContent = busy ? words.sending : button.dataset.label || button.textContent;
    button.setAttribute('aria-disabled', String(busy));
    button.classList.toggle('busy', busy);
    sendingEntry = busy;
  }

  /** Sends what was typed, again and again while there is no connection, until it is edited or answered. */
  async function send(form) {
    const input = entryOf(form);
    const read = readEntry(form, input.value);
    if (read.problem === 'entry.pin') {
      input.value = '';
      keepTyped(input);
    }
    if (read.problem) {
      showError(form, words.notices[read.problem]);
      return;
    }
    hideError(form);
    input.value = read.value;
    keepTyped(input);
    const body = { [form.dataset.kind]: read.value };
    if (form.dataset.provider) body.provider = form.dataset.provider;
    attempt += 1;
    const own = attempt;
    setBusy(form, true);
    say(words.sending);
    const answer = await deliver(form, body, own);
    if (own !== attempt) return;
    setBusy(form, false);
    connected();
    await settle(form, answer);
  }

  async function deliver(form, body, own) {
    for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MOST_MS)) {
      const answer = await request('POST', `${page.dataset.api}/verify`, 'application/json', body).catch(
        () => null,
      );
      const limited =
        answer && answer.status === 429 && parse(answer.text).code !== 'payment.too_many_attempts';
      if (own !== attempt || (answer && answer.status < 500 && !limited)) return answer;
      if (limited) showConnection(words.notices.busy);
      else disconnected();
      await pause(Math.max(waitMs, answer ? answer.retryAfterMs : 0));
      if (own !== attempt) return null;
    }
  }

  async function settle(form, answer) {
    const result = parse(answer.text);
    const input = entryOf(form);
    if (answer.status === 200 || answer.status === 202) {
      delete memory.entries[input.id];
      remember();
      await change(result, { focus: true, force: true });
      return;
    }
    const moved = { 'payment.expired': 'expired', 'payment.cancelled': 'cancelled' }[result.code];
    if ((moved && moved !== status) || answer.status === 404) {
      if (!(await refresh({ focus: true }))) return;
    } else if (answer.status === 409 && !words.notices[result.code]) {
      await refresh({ focus: true });
      return;
    }
    if (result.code === 'payment.too_many_attempts') {
      // It is kept all the same: the page as it is now says so, unless it has been so before.
      const before = shown;
      delete memory.entries[input.id];
      remember();
      if (!(await refresh({ focus: true })) || shown !== before) return;
      if (!document.getElementById(input.id)) say(words.notices[result.code]);
    }
    const again = document.getElementById(input.id);
    if (!again || !again.form) return;
    const unreadable = answer.status === 400 ? `${form.dataset.kind}.invalid` : 'other';
    showError(again.form, words.notices[result.code] || words.notices[unreadable]);
  }

  function keepTyped(input) {
    if (input.value) memory.entries[input.id] = input.value;
    else delete memory.entries[input.id];
    remember();
  }

  // ---- Copying, pasting, saving.

  async function copy(button) {
    const done = await writeClipboard(button.dataset.copy);
    const label = find('span', button);
    const original = button.dataset.original || label.textContent;
    button.dataset.original = original;
    say(done ? words.copied : words.copyFailed);
    if (!done) return;
    label.textContent = words.copied;
    button.classList.add('done');
    const restore = () => {
      label.textContent = original;
      button.classList.remove('done');
    };
    setTimeout(() => afterPress(restore), 2000);
  }

  async function writeClipboard(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch (_) {
      return copyBySelection(text);
    }
  }

  /** For pages that are not served over TLS and for old browsers. */
  function copyBySelection(text) {
    const area = document.createElement('textarea');
    const focused = document.activeElement;
    area.value = text;
    area.className = 'visually-hidden';
    document.body.appendChild(area);
    area.select();
    let done = false;
    try {
      done = document.execCommand('copy');
    } catch (_) {
      done = false;
    }
    document.body.removeChild(area);
    if (focused && focused.focus) focused.focus({ preventScroll: true });
    return done;
  }

  async function paste(form) {
    const input = entryOf(form);
    try {
      takeIn(form, await navigator.clipboard.readText());
    } catch (_) {
      say(words.pasteFailed);
    }
    input.focus();
  }

  /** A pasted message becomes the id in it, a pasted phone number its last four digits. */
  function takeIn(form, text) {
    const input = entryOf(form);
    const read = readEntry(form, text);
    input.value = read.value || text.trim().slice(0, input.maxLength);
    edited(form);
    showDoubt(form);
  }

  function edited(form) {
    keepTyped(entryOf(form));
    hideError(form);
    find('[data-doubt-text]', form).hidden = true;
    if (!sendingEntry) return;
    attempt += 1;
    setBusy(form, false);
    connected();
  }

  function saveQr(figure) {
    const drawing = find('svg[data-qr]', figure);
    const modules = Number(drawing.dataset.qr);
    const scale = Math.max(4, Math.floor(1024 / modules));
    const canvas = document.createElement('canvas');
    canvas.width = modules * scale;
    canvas.height = modules * scale;
    const context = canvas.getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.scale(scale, scale);
    context.strokeStyle = '#000';
    context.stroke(new Path2D(find('path', drawing).getAttribute('d')));
    canvas.toBlob((blob) => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(blob);
      link.download = `qr-${page.dataset.id}.png`;
      document.body.appendChild(link);
      link.click();
      document.body.removeChild(link);
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    });
  }

  // ---- What the payer does.

  /** Shows that something happens, however fast the answer is, and says how things stand when nothing has changed. */
  async function checkNow(link) {
    if (link.getAttribute('aria-disabled') === 'true') return;
    link.setAttribute('aria-disabled', 'true');
    link.textContent = words.sending;
    say(words.sending);
    const before = shown;
    await pause(CHECK_SHOWN_MS);
    if (shown === before && (await refresh({})) && shown === before) say(textOf('#state'));
  }

  async function switchLanguage(link) {
    const url = link.href;
    if (await refresh({ url, once: true })) window.history.replaceState(null, '', url);
    else window.location.assign(url);
  }

  document.addEventListener('click', (event) => {
    if (!event.target.closest || event.defaultPrevented) return;
    const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.button);
    const at = (selector) => event.target.closest(selector);
    if (at('[data-copy]')) copy(at('[data-copy]'));
    else if (at('[data-paste]')) paste(at('form'));
    else if (at('[data-save-qr]')) saveQr(at('figure'));
    else if (at('[data-stay]')) stay();
    else if (at('[data-print]')) {
      stay();
      window.print();
    } else if (at('[data-check]') && plain) {
      event.preventDefault();
      checkNow(at('[data-check]'));
    } else if (at('[data-switch]') && plain && page.dataset.id) {
      event.preventDefault();
      switchLanguage(at('[data-switch]'));
    } else if (at('[data-redirect-link]')) {
      memory.left = true;
      remember();
    }
  });

  document.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!sendingEntry) send(event.target);
  });

  document.addEventListener('input', (event) => {
    if (event.target.form && event.target.type === 'text') edited(event.target.form);
  });

  document.addEventListener('change', (event) => {
    if (event.target.type === 'radio') {
      memory.wallet = event.target.id;
      remember();
    } else if (event.target.form) {
      showDoubt(event.target.form);
    }
  });

  document.addEventListener('paste', (event) => {
    const input = event.target;
    const text = event.clipboardData && event.clipboardData.getData('text');
    if (!text || !input.form || input.type !== 'text') return;
    if (input.value && input.selectionEnd - input.selectionStart < input.value.length) return;
    event.preventDefault();
    takeIn(input.form, text);
  });

  // ---- The connection and the tab.

  function wake() {
    if (isFinal()) return;
    if (!source || source.readyState === EventSource.CLOSED) listen();
    check();
  }

  window.addEventListener('online', wake);
  window.addEventListener('offline', disconnected);
  window.addEventListener('pageshow', (event) => event.persisted && wake());
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) wake();
  });

  takeOver();
  listen();
  setInterval(everySecond, 1000);
})();
