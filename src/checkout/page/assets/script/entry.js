/** What the payer types, and its submission. The rules are those of `submission.ts`. */
function checkoutEntry({ page, words, requests, content, sending }) {
  const memory = page.memory;
  /** Counts what ends the attempt to send before it: another press, an edit, another state of the payment. */
  let attempt = 0;

  function latinDigits(text) {
    return text.replace(/[০-৯]/g, (digit) => String(digit.charCodeAt(0) - 0x9e6));
  }

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

  function inputOf(form) {
    return page.find('input[type="text"]', form);
  }

  // ---- What stands beside the field.

  function showError(form, text) {
    const line = page.find('.error', form);
    page.find('[data-error]', line).textContent = text;
    line.hidden = false;
    page.find('[data-doubt-text]', form).hidden = true;
    const input = inputOf(form);
    input.setAttribute('aria-invalid', 'true');
    input.focus();
    page.say(text);
  }

  function hideError(form) {
    page.find('.error', form).hidden = true;
    inputOf(form).removeAttribute('aria-invalid');
  }

  /** When the field loses the focus, which a press of the button does: nothing above the button may move. */
  function showDoubt(form) {
    const line = page.find('[data-doubt-text]', form);
    const typed = inputOf(form).value;
    const read = readEntry(form, typed);
    const pattern = form.dataset.pattern;
    const doubtful = typed && read.value && pattern && !new RegExp(`^(?:${pattern})$`).test(read.value);
    line.textContent = doubtful ? form.dataset.doubt : '';
    line.hidden = !doubtful;
    if (doubtful) page.say(form.dataset.doubt);
  }

  function setBusy(form, busy) {
    const button = page.find('button[type="submit"]', form);
    if (busy) button.dataset.label = button.textContent;
    button.textContent = busy ? words.sending : button.dataset.label || button.textContent;
    button.setAttribute('aria-disabled', String(busy));
    button.classList.toggle('busy', busy);
    sending.now = busy;
  }

  // ---- What was typed is kept in the tab until it is answered.

  function keep(input) {
    if (input.value) memory.entries[input.id] = input.value;
    else delete memory.entries[input.id];
    page.remember();
  }

  function forget(input) {
    delete memory.entries[input.id];
    page.remember();
  }

  /** Puts what was typed, and the chosen wallet, into the page's new content. */
  function restore() {
    const chosen = memory.wallet && document.getElementById(memory.wallet);
    if (chosen && chosen.type === 'radio') chosen.checked = true;
    page.findAll('form input[type="text"]').forEach((input) => {
      if (!input.value && memory.entries[input.id]) input.value = memory.entries[input.id];
    });
  }

  // ---- Sending.

  /** Sends what was typed, again and again while there is no connection, until it is edited or answered. */
  async function send(form) {
    const input = inputOf(form);
    const read = readEntry(form, input.value);
    if (read.problem === 'entry.pin') {
      input.value = '';
      keep(input);
    }
    if (read.problem) {
      showError(form, words.notices[read.problem]);
      return;
    }
    hideError(form);
    input.value = read.value;
    keep(input);
    const body = { [form.dataset.kind]: read.value };
    if (form.dataset.provider) body.provider = form.dataset.provider;
    attempt += 1;
    const own = attempt;
    setBusy(form, true);
    page.say(words.sending);
    const answer = await deliver(body, own);
    if (own !== attempt) return;
    setBusy(form, false);
    requests.connected();
    await showAnswer(form, answer);
  }

  function deliver(body, own) {
    return requests.retry(async () => {
      if (own !== attempt) return { done: true, result: null };
      const answer = await requests.request('POST', `${page.data.api}/verify`, 'application/json', body);
      const code = answer && requests.parse(answer.text).code;
      const limited = answer && answer.status === 429 && code !== 'payment.too_many_attempts';
      if (own !== attempt || (answer && answer.status < 500 && !limited))
        return { done: true, result: answer };
      if (limited) requests.busy();
      else requests.disconnected();
      return { done: false, answer };
    });
  }

  async function showAnswer(form, answer) {
    const result = requests.parse(answer.text);
    const input = inputOf(form);
    if (answer.status === 200 || answer.status === 202) {
      forget(input);
      await content.change(result, { focus: true, force: true });
      return;
    }
    const moved = { 'payment.expired': 'expired', 'payment.cancelled': 'cancelled' }[result.code];
    if ((moved && moved !== content.state.status) || answer.status === 404) {
      if (!(await content.refresh({ focus: true }))) return;
    } else if (answer.status === 409 && !words.notices[result.code]) {
      await content.refresh({ focus: true });
      return;
    }
    if (result.code === 'payment.too_many_attempts') {
      // It is kept all the same: the page as it is now says so, unless it has been so before.
      const before = content.state.shown;
      forget(input);
      if (!(await content.refresh({ focus: true })) || content.state.shown !== before) return;
      if (!document.getElementById(input.id)) page.say(words.notices[result.code]);
    }
    const again = document.getElementById(input.id);
    if (!again || !again.form) return;
    const unreadable = answer.status === 400 ? `${form.dataset.kind}.invalid` : 'other';
    showError(again.form, words.notices[result.code] || words.notices[unreadable]);
  }

  /** The payment has another state: what is being sent is not waited for. */
  function abandon() {
    attempt += 1;
    sending.now = false;
    if (['submitted', 'verified', 'review'].indexOf(content.state.status) < 0) return;
    memory.entries = {};
    page.remember();
  }

  /** What the payer changes ends the attempt to send what stood there before. */
  function edited(form) {
    keep(inputOf(form));
    hideError(form);
    page.find('[data-doubt-text]', form).hidden = true;
    if (!sending.now) return;
    attempt += 1;
    setBusy(form, false);
    requests.connected();
  }

  /** A pasted message becomes the id in it, a pasted phone number its last four digits. */
  function takeIn(form, text) {
    const input = inputOf(form);
    const read = readEntry(form, text);
    input.value = read.value || text.trim().slice(0, input.maxLength);
    edited(form);
    showDoubt(form);
  }

  async function paste(form) {
    try {
      takeIn(form, await navigator.clipboard.readText());
    } catch (_) {
      page.say(words.pasteFailed);
    }
    inputOf(form).focus();
  }

  return { send, restore, abandon, edited, takeIn, paste, showDoubt };
}
