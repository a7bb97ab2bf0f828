/*
 * What the dashboard's pages can do only with a script: copying, sharing, keeping what was typed, and showing what is
 * new. Everything else works without it. No library and no build: the browser runs this file as it stands.
 */
(function () {
  'use strict';

  const frame = document.querySelector('.frame');
  const live = document.getElementById('live');
  const part = document.querySelector('[data-live]');
  /** What the server said last, before this script changed anything about it. */
  let shown = part ? part.innerHTML : '';

  function say(text) {
    live.textContent = '';
    setTimeout(() => (live.textContent = text), 50);
  }

  /** Shows what works only with a script, where the browser can do it. */
  function reveal(place) {
    place.querySelectorAll('[data-copy]').forEach((button) => (button.hidden = !navigator.clipboard));
    place.querySelectorAll('[data-share]').forEach((button) => (button.hidden = !navigator.share));
  }
  reveal(document);

  document.addEventListener('click', async (event) => {
    const copy = event.target.closest('[data-copy]');
    const share = event.target.closest('[data-share]');
    if (copy) {
      try {
        await navigator.clipboard.writeText(copy.dataset.copy);
        copy.classList.add('done');
        say(frame.dataset.copied);
      } catch {
        copy.classList.remove('done');
      }
    } else if (share) {
      // An address alone, or a text that holds one.
      const { share: what } = share.dataset;
      navigator.share(URL.canParse(what) ? { url: what } : { text: what }).catch(() => undefined);
    }
  });

  // A second press while the first is under way would do it twice.
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (form.method !== 'post') return;
    if (form.dataset.busy) event.preventDefault();
    else form.dataset.busy = 'yes';
  });
  window.addEventListener('pageshow', () =>
    document.querySelectorAll('form[data-busy]').forEach((form) => delete form.dataset.busy),
  );

  // The message about what was done is read once; opening the address again must not say it again.
  const address = new URL(location.href);
  if (address.searchParams.has('done')) {
    address.searchParams.delete('done');
    history.replaceState(null, '', address);
  }
  const message = document.querySelector('main > .notice');
  if (message) say(message.textContent.trim());

  // ---- Live: a stream says which parts have changed; the page fetches itself and takes over those parts.

  const NEAR_THE_TOP = 200;
  const store = location.pathname.match(/^\/dashboard\/stores\/[0-9a-f-]{36}/);
  let known = null;

  /** Nothing moves under the finger, and nothing that was typed is lost. */
  function mayMove(place) {
    const isTyping = [...place.querySelectorAll('input:not([type=hidden]), textarea')].some((field) =>
      field.type === 'radio' || field.type === 'checkbox'
        ? field.checked !== field.defaultChecked
        : field.value !== field.defaultValue,
    );
    return !isTyping && !place.contains(document.activeElement) && window.scrollY < NEAR_THE_TOP;
  }

  /** The part as the server draws it now; null where it is still what is shown. */
  async function freshPart() {
    // After a form, the address of the page is one that only takes forms.
    const answer = await fetch(part.dataset.liveFrom ?? location.href).catch(() => null);
    if (!answer || !answer.ok || answer.redirected) return null;
    const fresh = new DOMParser()
      .parseFromString(await answer.text(), 'text/html')
      .querySelector('[data-live]');
    return !fresh || fresh.innerHTML === shown ? null : fresh;
  }

  async function takeOver() {
    const fresh = await freshPart();
    if (!fresh) return;
    shown = fresh.innerHTML;
    const open = [...part.querySelectorAll('details')].map((fold) => fold.open);
    part.replaceChildren(...fresh.childNodes);
    part.querySelectorAll('details').forEach((fold, index) => (fold.open = open[index] ?? fold.open));
    reveal(part);
  }

  function announce() {
    if (document.querySelector('.rows-new')) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'quiet rows-new';
    button.textContent = frame.dataset.news;
    button.addEventListener('click', () => {
      button.remove();
      takeOver();
    });
    part.before(button);
    say(frame.dataset.news);
  }

  function listen() {
    const payment = location.pathname.match(/\/payments\/([0-9a-f-]{36})$/);
    const source = new EventSource(`${store[0]}/live${payment ? `?payment=${payment[1]}` : ''}`);
    source.addEventListener('digests', (event) => {
      const digest = JSON.parse(event.data)[part.dataset.live];
      const isFirst = known === null;
      if (digest !== known) {
        if ('liveAnyway' in part.dataset || mayMove(part)) takeOver();
        else if (!isFirst) announce();
        // The first one tells of nothing new, unless something has happened while the page was on its way.
        else freshPart().then((fresh) => fresh && announce());
      }
      known = digest;
    });
    window.addEventListener('pagehide', () => source.close());
  }

  if (store && part && window.EventSource && !new URLSearchParams(location.search).has('cursor')) listen();

  const current = document.querySelector('.pages [aria-current]');
  if (current) {
    const list = current.closest('ul');
    list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2;
  }
})();
