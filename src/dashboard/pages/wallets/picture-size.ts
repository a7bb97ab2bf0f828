/** The size that a picture's header states. */
export interface PictureSize {
  readonly type: 'png' | 'jpeg';
  readonly width: number;
  readonly height: number;
  /** The most memory that decoding may take, in bytes. */
  readonly decodedBytes: number;
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Samples for each pixel by the colour type of PNG; 3 is a palette. */
const PNG_SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Each row begins with a byte of its own, and interlaced pictures have more rows. */
const PNG_ROW_FACTOR = 2;

/** Reads the header of a PNG or JPEG and nothing else; null for what is neither, or has none. */
export function pictureSize(bytes: Buffer): PictureSize | null {
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return pngSize(bytes);
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return jpegSize(bytes);
  return null;
}

function pngSize(bytes: Buffer): PictureSize | null {
  if (bytes.length < 33 || bytes.toString('latin1', 12, 16) !== 'IHDR') return null;
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const samples = PNG_SAMPLES[bytes[25] ?? -1];
  const depth = bytes[24] ?? 0;
  if (width === 0 || height === 0 || samples === undefined || ![1, 2, 4, 8, 16].includes(depth)) return null;
  const row = Math.ceil((width * samples * depth) / 8);
  return { type: 'png', width, height, decodedBytes: height * (row + PNG_ROW_FACTOR) + row };
}

/** The first frame header (ITU-T T.81 §B.2.2), skipping what stands before it by its length. */
function jpegSize(bytes: Buffer): PictureSize | null {
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = bytes.readUInt16BE(at + 2);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      return width === 0 || height === 0
        ? null
        : { type: 'jpeg', width, height, decodedBytes: width * height * (bytes[at + 9] ?? 3) };
    }
    if (length < 2 || marker === 0xda || marker === 0xd9) return null;
    at += 2 + length;
  }
  return null;
}
