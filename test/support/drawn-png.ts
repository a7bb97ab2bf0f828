import { crc32, deflateSync } from 'node:zlib';
import { qrModules } from '../../src/platform/web/qr-svg.js';

/** Pictures as a test draws them: 8-bit greyscale PNG. */
export function drawPng(
  { width, height }: { readonly width: number; readonly height: number },
  isDark: (x: number, y: number) => boolean = () => false,
): Buffer {
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + 1 + x] = isDark(x, y) ? 0 : 255;
  return pngOf({ width, height }, deflateSync(rows));
}

/** A picture of QR codes side by side. */
export function drawQrCodes(...payloads: readonly string[]): Buffer {
  const scale = 6;
  const codes = payloads.map((payload) => qrModules(payload) ?? []);
  const size = Math.max(...codes.map(({ length }) => length)) + 16;
  return drawPng({ width: size * scale * codes.length, height: size * scale }, (x, y) => {
    const [column, row] = [Math.floor(x / scale), Math.floor(y / scale)];
    return codes[Math.floor(column / size)]?.[row - 8]?.[(column % size) - 8] ?? false;
  });
}

/** The file around compressed rows; whether they fit the size is the test's business. */
export function pngOf({ width, height }: { width: number; height: number }, rows: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
