import { html, type Markup } from './html.js';

/** Own drawings on a grid of 24, in the colour of the text around them; silent for screen readers. */
function icon(name: string, shapes: Markup): Markup {
  return html`<svg class="icon icon-${name}" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    ${shapes}
  </svg>`;
}

export const ICONS = {
  tick: icon('tick', html`<circle cx="12" cy="12" r="10" /><path d="m7.5 12.4 3 3 6-6.6" />`),
  waiting: icon(
    'waiting',
    html`<circle cx="12" cy="12" r="9" class="track" /><path d="M12 3a9 9 0 0 1 9 9" />`,
  ),
  review: icon(
    'review',
    html`<circle cx="10.5" cy="10.5" r="6.5" /><path d="m15.5 15.5 5 5M7.8 10.6l2 2 3.4-4" />`,
  ),
  clock: icon('clock', html`<circle cx="12" cy="12" r="9" /><path d="M12 7v5l3.2 2" />`),
  cross: icon('cross', html`<circle cx="12" cy="12" r="9.5" /><path d="m8.7 8.7 6.6 6.6m0-6.6-6.6 6.6" />`),
  unknown: icon(
    'unknown',
    html`<path
      d="M9 15 7 17a3.5 3.5 0 0 1-5-5l3-3a3.5 3.5 0 0 1 5 0M15 9l2-2a3.5 3.5 0 0 1 5 5l-3 3a3.5 3.5 0 0 1-5 0M12 3v2M12 19v2"
    />`,
  ),
  copy: icon(
    'copy',
    html`<rect x="9" y="9" width="11" height="11" rx="2" /><path
        d="M15 9V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v7a2 2 0 0 0 2 2h3"
      />`,
  ),
  lock: icon(
    'lock',
    html`<rect x="5" y="11" width="14" height="9" rx="2" /><path d="M8 11V8a4 4 0 0 1 8 0v3" />`,
  ),
  qr: icon('qr', html`<path d="M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2M20 14v6h-6M17 17h.01" />`),
  alert: icon('alert', html`<circle cx="12" cy="12" r="9.5" /><path d="M12 7.5v5.2M12 16.2v.1" />`),
} as const;
