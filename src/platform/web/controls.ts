import { html, type Markup } from './html.js';
import { ICONS } from './icons.js';

/*
 * Small parts that several pages need. A script of each page shows what only works with one.
 */

/** A value to take over elsewhere, with a button for it where the script runs. */
export function renderCopyBox(
  value: string,
  shown: Markup,
  words: { readonly copy: string; readonly label: string },
): Markup {
  return html`<span class="copy-box"
    ><strong class="value">${shown}</strong>${renderCopyButton(value, words)}</span
  >`;
}

/** `label` is what the button is called in full: "copy" alone says nothing to who cannot see what stands beside it. */
export function renderCopyButton(
  value: string,
  { copy, label }: { readonly copy: string; readonly label: string },
): Markup {
  return html`<button type="button" class="copy" data-copy="${value}" aria-label="${label}" hidden>
    ${ICONS.copy}<span>${copy}</span>
  </button>`;
}

/** Renders a notice about what was sent, read out as the page opens; a status if nothing is wrong. */
export function renderNotice(text: string, kind: 'alert' | 'status' = 'alert'): Markup {
  return html`<p class="callout notice ${kind === 'status' && 'notice-done'}" role="${kind}">
    ${kind === 'alert' ? ICONS.alert : ICONS.tick}<span>${text}</span>
  </p>`;
}
