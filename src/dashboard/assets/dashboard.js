/*
 * What the dashboard's pages can do only with a script: copying, sharing, keeping what was typed, and showing what is new.
 * Everything else works without it. No library and no build: the browser runs this file as it stands.
 */
(function () {
  'use strict';

  const frame = document.querySelector('.frame');
  const live = document.getElementById('live');

  function say(text) {
    live.textContent = '';
    setTimeout(() => (live.textContent = text), 50);
  }

  document.querySelectorAll('[data-copy]').forEach((button) => (button.hidden = !navigator.clipboard));
  document.querySelectorAll('[data-share]').forEach((button) => (button.hidden = !navigator.share));

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
      navigator.share({ url: share.dataset.share }).catch(() => undefined);
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

  const current = document.querySelector('.pages [aria-current]');
  if (current) {
    const list = current.closest('ul');
    list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2;
  }
})();
