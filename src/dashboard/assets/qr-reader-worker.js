/*
 * Reads the QR codes of one picture, off the event loop (contract 1.14), and ends. Runs as it stands, in a thread of
 * its own: `workerData` holds the bytes of a PNG or JPEG whose size was looked at before; the answer is the texts
 * that were found.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';

const path = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
// Its own default is to fetch this file from a server elsewhere.
prepareZXingModule({ overrides: { wasmBinary: readFileSync(path).buffer } });

const found = await readBarcodes(workerData, {
  formats: ['QRCode'],
  tryHarder: true,
  maxNumberOfSymbols: 4,
  textMode: 'Plain',
});
parentPort.postMessage(found.filter(({ isValid }) => isValid).map(({ text }) => text));
