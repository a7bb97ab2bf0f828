/*
 * The checkout page without full reloads. The server renders every state and this script exchanges the page's content
 * when the payment changes, so that nothing is worded or drawn twice. Where it does not run, the plain form works.
 * Written for old phones' browsers: no build step, nothing newer than ECMAScript 2018. The files of this folder are
 * served as one, in the order of `checkout-assets.ts`: each is one function, and `start.js` puts them together.
 */

/**
 * What every part of the script uses: the page's elements, what is remembered in this tab, the time of the server, and
 * presses that are under way.
 *
 * @param element the element `#page`, whose data the server writes
 */
function checkoutPage(element) {
  const PRESS_MOST_MS = 3000;
  const CLICK_WITHIN_MS = 350;

  const data = element.dataset;
  const storeKey = `joma:${data.id}`;
  const announcements = document.getElementById('live');

  function find(selector, within) {
    return (within || element).querySelector(selector);
  }

  function findAll(selector) {
    return Array.from(element.querySelectorAll(selector));
  }

  function textOf(selector) {
    const found = find(selector);
    return found ? found.textContent.replace(/\s+/g, ' ').trim() : '';
  }

  /** Read out by screen readers. Emptied first, so that the same words twice are two messages. */
  function say(text) {
    announcements.textContent = '';
    setTimeout(() => {
      announcements.textContent = text;
    }, 60);
  }

  function localDigits(text) {
    const latin = String(text);
    return data.language === 'bn' ? latin.replace(/[0-9]/g, (digit) => '০১২৩৪৫৬৭৮৯'[digit]) : latin;
  }

  // ---- What is remembered in this tab: what was typed, the wallet, and whether the shop was visited already.

  const memory = recall();

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

  // ---- The time, as the server has it.

  let clockOffsetMs = 0;

  /** @param atMs a time of this device */
  function toServerTime(atMs) {
    return atMs + clockOffsetMs;
  }

  function setServerTime(atMs) {
    if (isFinite(atMs)) clockOffsetMs = atMs - Date.now();
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

  return {
    data,
    find,
    findAll,
    textOf,
    say,
    localDigits,
    memory,
    remember,
    toServerTime,
    setServerTime,
    afterPress,
    isPressed: () => pressed,
  };
}
