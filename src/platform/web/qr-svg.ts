import { encode } from 'uqr';
import { html, type Markup } from './html.js';

/** White modules around the code that ISO/IEC 18004 asks for; scanners need them, in dark mode most of all. */
const QUIET_ZONE_MODULES = 4;

/** Byte mode holds at most 2,953 bytes; longer text has no QR code. */
const MAX_PAYLOAD_CHARACTERS = 2_953;

/**
 * The dark modules of the code for a payload, without quiet zone, or null when it cannot be drawn (empty, too long).
 * Error correction M; a payload too long for that gets L.
 */
export function qrModules(payload: string): readonly (readonly boolean[])[] | null {
  if (payload === '' || payload.length > MAX_PAYLOAD_CHARACTERS || !payload.isWellFormed()) return null;
  for (const ecc of ['M', 'L'] as const) {
    try {
      return encode(payload, { ecc, boostEcc: true, border: 0 }).data;
    } catch {
      continue;
    }
  }
  return null;
}

/**
 * An inline SVG that scans to exactly `payload`, always dark on white. Colours stand in attributes, which the strict
 * content security policy allows; `label` is what a screen reader says.
 */
export function renderQrSvg(payload: string, label: string): Markup | null {
  const modules = qrModules(payload);
  if (!modules) return null;
  const size = modules.length + 2 * QUIET_ZONE_MODULES;
  return html`<svg
    class="qr-code"
    viewBox="0 0 ${size} ${size}"
    role="img"
    aria-label="${label}"
    data-qr="${size}"
  >
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${qrPath(modules)}" stroke="#000" shape-rendering="crispEdges" />
  </svg>`;
}

/** The same as a file of its own, to print or to send; null when it cannot be drawn. */
export function qrFile(payload: string): string | null {
  const modules = qrModules(payload);
  if (!modules) return null;
  const size = String(modules.length + 2 * QUIET_ZONE_MODULES);
  return html`<svg
    xmlns="http://www.w3.org/2000/svg"
    viewBox="0 0 ${size} ${size}"
    width="${size}mm"
    height="${size}mm"
  >
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${qrPath(modules)}" stroke="#000" shape-rendering="crispEdges" />
  </svg>`.toString();
}

/**
 * The dark modules as strokes of width 1 through the middle of their rows: `h` draws a run of them, `m` moves over
 * light ones. A third of the size of drawing rectangles.
 */
export function qrPath(modules: readonly (readonly boolean[])[]): string {
  return modules.map((row, y) => rowPath(row, y + QUIET_ZONE_MODULES)).join('');
}

function rowPath(row: readonly boolean[], y: number): string {
  let path = '';
  let drawnTo = 0;
  for (let x = 0; x < row.length; x += 1) {
    if (!row[x]) continue;
    const from = x;
    while (row[x + 1]) x += 1;
    const move =
      path === '' ? `M${String(from + QUIET_ZONE_MODULES)} ${String(y)}.5` : `m${String(from - drawnTo)} 0`;
    drawnTo = x + 1;
    path += `${move}h${String(drawnTo - from)}`;
  }
  return path;
}
