/**
 * What the page shows, and the state of the payment that it shows: fetches the page as it is now and puts it in place.
 *
 * @param changing called when another state of the payment is heard of, before its page is fetched
 * @param replaced called after loading and after each exchange of the content
 */
function checkoutContent({ page, words, requests, changing, replaced }) {
  const INTERIM_AFTER_MS = 150;

  /** `shown` is what the content on the screen says of the payment, `sinceMs` from when it has said so. */
  const state = { status: '', reason: '', shown: '', sinceMs: Date.now() };
  let refreshCount = 0;

  function isFinal() {
    return state.status === 'verified' || state.status === 'cancelled' || state.status === 'unknown';
  }

  function contentElement() {
    return document.getElementById('content');
  }

  /**
   * Tries until it succeeds or a newer call takes over. True when this call's page is the one on the screen. Options:
   * `url`, `focus` (the heading gets the focus), `fresh` (begins at the top even where the state is the same), `once`.
   */
  async function refresh(options) {
    refreshCount += 1;
    const own = refreshCount;
    return requests.retry(async () => {
      if (own !== refreshCount) return { done: true, result: false };
      const answer = await requests.request('GET', options.url || page.data.self, 'text/html');
      await new Promise(page.afterPress);
      if (own !== refreshCount) return { done: true, result: false };
      if (answer && (answer.status === 200 || answer.status === 404) && exchange(answer.text, options)) {
        requests.connected();
        return { done: true, result: true };
      }
      if (options.once) return { done: true, result: false };
      requests.disconnected();
      return { done: false, answer };
    });
  }

  /** False where the text is not a page of ours. */
  function exchange(text, options) {
    const next = new DOMParser().parseFromString(text, 'text/html');
    const nextPage = next.getElementById('page');
    const nextContent = next.getElementById('content');
    const content = contentElement();
    if (!nextPage || !nextContent) return false;

    const before = state.shown;
    const focused = content.contains(document.activeElement) ? document.activeElement : null;
    const folds = page.findAll('details').map((fold) => fold.open);
    content.parentNode.replaceChild(document.importNode(nextContent, true), content);
    Object.keys(page.data).forEach((name) => delete page.data[name]);
    Object.assign(page.data, nextPage.dataset);
    document.documentElement.lang = next.documentElement.lang;
    document.title = next.title;
    takeOver();

    const changed = before !== state.shown || Boolean(options.fresh);
    if (!changed) page.findAll('details').forEach((fold, index) => (fold.open = folds[index] || fold.open));
    if (changed) window.scrollTo(0, 0);
    moveFocus(focused, changed, options);
    return true;
  }

  function moveFocus(focused, changed, options) {
    const heading = document.getElementById('state');
    const toHeading = heading && (options.focus || (changed && focused));
    const same = focused && focused.id && document.getElementById(focused.id);
    if (toHeading) heading.focus({ preventScroll: true });
    else if (same) same.focus({ preventScroll: true });
    if (!changed) return;
    // Screen readers read what has the focus by themselves.
    const said = toHeading ? [] : ['#state', '.lead'];
    page.say(said.concat('.redirect:not([hidden])').map(page.textOf).join(' '));
  }

  /** After loading and after each exchange: reads the page's data and switches on what needs the script. */
  function takeOver() {
    const previous = state.shown;
    if (page.data.id) {
      state.status = page.data.status;
      state.reason = page.data.reason;
      state.shown = `${state.status} ${state.reason} ${page.data.limited}`;
      if (previous !== state.shown) state.sinceMs = Date.now();
      page.setServerTime(Number(page.data.serverTime));
      showWhatWorks();
    } else {
      state.status = 'unknown';
      state.shown = state.status;
    }
    replaced();
  }

  function showWhatWorks() {
    const show = (selector, works) => page.findAll(selector).forEach((element) => (element.hidden = !works));
    show('[data-copy], [data-countdown-row], [data-with-script]', true);
    show('[data-without-script]', false);
    show('[data-print]', window.print);
    show('[data-save-qr]', window.Path2D);
    show('[data-paste]', navigator.clipboard && navigator.clipboard.readText);
    page.findAll('form').forEach((form) => (form.noValidate = true));
  }

  /**
   * The payment has another state, by whichever way this was heard. The page for it is fetched; should that take
   * long, its heading is shown in the meantime.
   */
  async function change(update, options) {
    const nextReason = update.reviewReason === undefined ? state.reason : update.reviewReason || '';
    const same = update.status === state.status && (state.status !== 'review' || nextReason === state.reason);
    if (!update.status || (same && !options.force)) return;
    const focus = Boolean(options.focus) || contentElement().contains(document.activeElement);
    state.status = update.status;
    state.reason = nextReason;
    changing();
    const interim = setTimeout(showInterim, INTERIM_AFTER_MS);
    await refresh({ focus, fresh: Boolean(options.force) });
    clearTimeout(interim);
  }

  function showInterim() {
    const main = document.getElementById('main');
    if (page.isPressed() || !words.headings[state.status] || page.data.status === state.status) return;
    const card = document.createElement('section');
    card.className = 'card status';
    const heading = document.createElement('h1');
    heading.id = 'state';
    heading.tabIndex = -1;
    heading.textContent = words.headings[state.status];
    const lead = document.createElement('p');
    lead.textContent = words.loading;
    card.appendChild(heading);
    card.appendChild(lead);
    while (main.firstChild) main.removeChild(main.firstChild);
    main.appendChild(card);
    document.title = words.titles[state.status];
  }

  return { state, isFinal, refresh, change, takeOver };
}
