/* global checkoutWords -- written before these files, in the language of the page */
(() => {
  const element = document.getElementById('page');
  if (!element || !element.dataset.id || !window.fetch || !window.EventSource || !window.AbortController)
    return;

  const words = checkoutWords;
  /** Whether a submission is under way. */
  const sending = { now: false };
  const isSending = () => sending.now;

  const page = checkoutPage(element);
  const requests = checkoutRequests({ page, words, isSending });
  const content = checkoutContent({
    page,
    words,
    requests,
    changing: () => entry.abandon(),
    replaced() {
      entry.restore();
      time.startRedirect();
      if (content.isFinal()) news.stop();
      time.showCountdown();
    },
  });
  const news = checkoutNews({ page, requests, content, isSending });
  const entry = checkoutEntry({ page, words, requests, content, sending });
  const time = checkoutTime({ page, words, content });
  const controls = checkoutControls({ page, words, requests, content });

  function everySecond() {
    time.showCountdown();
    time.countDownRedirect();
    if (content.isFinal()) return;
    news.tick();
    time.explainLongWait();
  }

  // ---- What the payer does.

  document.addEventListener('click', (event) => {
    if (!event.target.closest || event.defaultPrevented) return;
    const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.button);
    const at = (selector) => event.target.closest(selector);
    if (at('[data-copy]')) controls.copy(at('[data-copy]'));
    else if (at('[data-paste]')) entry.paste(at('form'));
    else if (at('[data-save-qr]')) controls.saveQr(at('figure'));
    else if (at('[data-stay]')) time.stay();
    else if (at('[data-print]')) {
      time.stay();
      window.print();
    } else if (at('[data-check]') && plain) {
      event.preventDefault();
      controls.checkNow(at('[data-check]'));
    } else if (at('[data-switch]') && plain && page.data.id) {
      event.preventDefault();
      controls.switchLanguage(at('[data-switch]'));
    } else if (at('[data-redirect-link]')) time.leave();
  });

  document.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!isSending()) entry.send(event.target);
  });

  document.addEventListener('input', (event) => {
    if (event.target.form && event.target.type === 'text') entry.edited(event.target.form);
  });

  document.addEventListener('change', (event) => {
    if (event.target.type === 'radio') {
      page.memory.wallet = event.target.id;
      page.remember();
    } else if (event.target.form) {
      entry.showDoubt(event.target.form);
    }
  });

  document.addEventListener('paste', (event) => {
    const input = event.target;
    const text = event.clipboardData && event.clipboardData.getData('text');
    if (!text || !input.form || input.type !== 'text') return;
    if (input.value && input.selectionEnd - input.selectionStart < input.value.length) return;
    event.preventDefault();
    entry.takeIn(input.form, text);
  });

  // ---- The connection and the tab.

  window.addEventListener('online', news.wake);
  window.addEventListener('offline', requests.disconnected);
  window.addEventListener('pageshow', (event) => event.persisted && news.wake());
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) news.wake();
  });

  content.takeOver();
  news.listen();
  setInterval(everySecond, 1000);
})();
