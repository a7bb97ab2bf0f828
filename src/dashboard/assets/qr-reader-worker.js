/*
 * Reads the QR codes of one picture in a thread of its own, and ends (contract 1.14 and 14.39). `workerData` holds the
 * bytes of a PNG or JPEG, and the most bytes that its rows may have. The thread posts "begun", and then the texts that
 * it found, or null for a picture with more rows than its header says.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { parentPort, workerData } from 'node:worker_threads';
import { createInflate } from 'node:zlib';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';

const path = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
// Its own default is to fetch this file from a server elsewhere.
await prepareZXingModule({ overrides: { wasmBinary: readFileSync(path).buffer }, fireImmediately: true });

/** The compressed rows of a PNG, in as many chunks as it likes; null when they are cut short or there are none. */
function pngRows(bytes) {
  const rows = [];
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const end = at + 8 + length;
    if (end + 4 > bytes.length) return null;
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') rows.push(bytes.subarray(at + 8, end));
    at = end + 4;
  }
  return rows.length === 0 ? null : Buffer.concat(rows);
}

/** Whether the rows of a PNG have at most `limit` bytes: a small file can unpack to gigabytes. Keeps no rows. */
async function unpacksTo(bytes, limit) {
  const rows = pngRows(bytes);
  if (rows === null) return false;
  let length = 0;
  try {
    for await (const chunk of Readable.from([rows]).pipe(createInflate())) {
      length += chunk.length;
      if (length > limit) return false;
    }
    return true;
  } catch {
    return false;
  }
}

async function read({ bytes, decodedBytes }) {
  const isPng = bytes[0] === 0x89;
  if (isPng && !(await unpacksTo(Buffer.from(bytes.buffer), decodedBytes))) return null;
  const found = await readBarcodes(bytes, {
    formats: ['QRCode'],
    tryHarder: true,
    maxNumberOfSymbols: 4,
    textMode: 'Plain',
  });
  return found.filter(({ isValid }) => isValid).map(({ text }) => text);
}

parentPort.postMessage('begun');
parentPort.postMessage(await read(workerData));
