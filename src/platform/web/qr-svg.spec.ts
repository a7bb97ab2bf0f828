import * as fc from 'fast-check';
import jsqr from 'jsqr';
import { describe, expect, it } from 'vitest';
import { renderQrSvg } from './qr-svg.js';

// Its types say `exports.default`, its CommonJS file is the function itself.
const readQrCode = jsqr as unknown as typeof jsqr.default;

const PIXELS_PER_MODULE = 4;

/** The fixtures of the Bangla QR standard's shapes, with invented identities; the blanks count. */
const PAYLOADS = [
  '00020101021126560016com.pubalibankbd0102000204017503189000000000000000015204541153030505802BD5925EXAMPLE SHOP             6005DHAKA62320211017000000010713PBLQR0000000164170002bn0107bangali91200016com.pubalibankbd630420DE',
  '00020101021226560016com.pubalibankbd0102000204017503189000000000000000015204541153030505406250.755802BD5925EXAMPLE SHOP             6005DHAKA62430107INV10010211017000000010713PBLQR0000000164170002bn0107bangali91200016com.pubalibankbd6304F029',
  '00020101021126540013com.pathaopay01020302041008031991000000000000000015204739953030505802BD5907EXAMPLE6004546062500211017000000010308000000010708000000010807PAYMENT6304A2ED',
  '0002010102112633010203020410080315MERCHANT00000015204000053030505802BD5912EXAMPLE SHOP6005DHAKA630420E0',
];

/** Scans the drawn SVG: its strokes are painted into pixels, nothing is taken from the encoder. */
function scan(svg: string): string | null {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const path = / d="([^"]*)"/.exec(svg)?.[1] ?? '';
  const width = size * PIXELS_PER_MODULE;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  let x = 0;
  let y = 0;
  for (const [, command, first, second] of path.matchAll(/([Mmh])(\d+)(?: ([\d.]+))?/g)) {
    const length = Number(first);
    if (command === 'M') [x, y] = [length, Math.floor(Number(second))];
    if (command === 'h') paint(pixels, width, { x, y, length });
    if (command !== 'M') x += length;
  }
  return readQrCode(pixels, width, width)?.data ?? null;
}

function paint(
  pixels: Uint8ClampedArray,
  width: number,
  run: { x: number; y: number; length: number },
): void {
  for (let row = run.y * PIXELS_PER_MODULE; row < (run.y + 1) * PIXELS_PER_MODULE; row += 1) {
    for (
      let column = run.x * PIXELS_PER_MODULE;
      column < (run.x + run.length) * PIXELS_PER_MODULE;
      column += 1
    ) {
      pixels.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3);
    }
  }
}

describe('renderQrSvg', () => {
  it.each(PAYLOADS)('scans to exactly the payload: %s', (payload) => {
    expect(scan(renderQrSvg(payload, 'QR')?.toString() ?? '')).toBe(payload);
  });

  it('scans to exactly any payload in the characters of EMVCo codes', () => {
    const payload = fc.string({
      unit: fc.constantFrom(...'0123456789ABCDEFabcdef .:*&<>"\'-+/'),
      minLength: 1,
      maxLength: 300,
    });
    fc.assert(
      fc.property(payload, (text) => {
        expect(scan(renderQrSvg(text, 'QR')?.toString() ?? '')).toBe(text);
      }),
      { numRuns: 40 },
    );
  });

  it('keeps Bangla in a payload', () => {
    expect(scan(renderQrSvg('৫৯০৭দোকান', 'QR')?.toString() ?? '')).toBe('৫৯০৭দোকান');
  });

  it('draws a long payload, and nothing for one that no QR code can hold', () => {
    expect(renderQrSvg('a'.repeat(2_900), 'QR')).not.toBeNull();
    expect(renderQrSvg('a'.repeat(2_954), 'QR')).toBeNull();
    expect(renderQrSvg('আ'.repeat(2_000), 'QR')).toBeNull();
    expect(renderQrSvg('', 'QR')).toBeNull();
  });

  it('has a quiet zone, a label, and neither style nor script', () => {
    const svg = renderQrSvg(PAYLOADS[3] ?? '', 'code of "X"')?.toString() ?? '';
    expect(svg).toContain('aria-label="code of &quot;X&quot;"');
    expect(svg).toMatch(/ d="M4 4\.5h7/);
    expect(svg).not.toMatch(/style|script|on[a-z]+=/i);
  });
});
