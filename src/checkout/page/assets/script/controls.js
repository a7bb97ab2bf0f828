/** The other controls of the page: copying, saving the QR code, looking again, another language. */
function checkoutControls({ page, words, requests, content }) {
  const CHECK_SHOWN_MS = 500;
  const COPIED_SHOWN_MS = 2000;

  async function copy(button) {
    const done = await writeClipboard(button.dataset.copy);
    const label = page.find('span', button);
    const original = button.dataset.original || label.textContent;
    button.dataset.original = original;
    page.say(done ? words.copied : words.copyFailed);
    if (!done) return;
    label.textContent = words.copied;
    button.classList.add('done');
    const restore = () => {
      label.textContent = original;
      button.classList.remove('done');
    };
    setTimeout(() => page.afterPress(restore), COPIED_SHOWN_MS);
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

  function saveQr(figure) {
    const drawing = page.find('svg[data-qr]', figure);
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
    context.stroke(new Path2D(page.find('path', drawing).getAttribute('d')));
    canvas.toBlob((blob) => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(blob);
      link.download = `qr-${page.data.id}.png`;
      document.body.appendChild(link);
      link.click();
      document.body.removeChild(link);
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    });
  }

  /** Shows that something happens, however fast the answer is, and says how things stand when nothing has changed. */
  async function checkNow(link) {
    if (link.getAttribute('aria-disabled') === 'true') return;
    link.setAttribute('aria-disabled', 'true');
    link.textContent = words.sending;
    page.say(words.sending);
    const before = content.state.shown;
    await requests.pause(CHECK_SHOWN_MS);
    if (content.state.shown !== before) return;
    if ((await content.refresh({})) && content.state.shown === before) page.say(page.textOf('#state'));
  }

  async function switchLanguage(link) {
    const url = link.href;
    if (await content.refresh({ url, once: true })) window.history.replaceState(null, '', url);
    else window.location.assign(url);
  }

  return { copy, saveQr, checkNow, switchLanguage };
}
