/*
 * A phone that forwards one SMS, as the chosen app would (contract 6.1). For trying a store out without a phone:
 *
 * npm run phone -- --app smsgate --store <id> --secret <webhook secret> [--url http://localhost:3000] [--sender
 * bKash] [--text "You have received …"] [--amount 500] [--times 2]
 *
 * Without a text it makes up a bKash receipt of the amount, with a TrxID of its own. Exits 0 when every answer is a
 * 2xx.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { messageOf } from '../../kernel/error-text.js';
import { PHONE_APPS, type PhoneRequest } from './phone-apps.js';

const ID_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DHAKA_OFFSET_MS = 6 * 3_600_000;
const TIMEOUT_MS = 30_000;

const OPTIONS = {
  options: {
    app: { type: 'string', default: 'smsgate' },
    store: { type: 'string' },
    secret: { type: 'string' },
    url: { type: 'string', default: 'http://localhost:3000' },
    service: { type: 'string', default: 'joma' },
    sender: { type: 'string', default: 'bKash' },
    text: { type: 'string' },
    amount: { type: 'string', default: '500' },
    times: { type: 'string', default: '1' },
  },
} as const;
const MOST_TIMES = 1_000;

type Wishes = ReturnType<typeof parseArgs<typeof OPTIONS>>['values'];

function receiptText(amount: number, at: Date): string {
  const local = new Date(at.getTime() + DHAKA_OFFSET_MS).toISOString();
  const day = `${local.slice(8, 10)}/${local.slice(5, 7)}/${local.slice(0, 4)} ${local.slice(11, 16)}`;
  const trxId = Array.from({ length: 10 }, () => ID_ALPHABET.charAt(randomInt(ID_ALPHABET.length))).join('');
  const money = (value: number) => value.toLocaleString('en-US', { minimumFractionDigits: 2 });
  const balance = money(amount + 1_000);
  return `You have received Tk ${money(amount)} from 01700000002. Fee Tk 0.00. Balance Tk ${balance}. TrxID ${trxId} at ${day}`;
}

export async function phone(arguments_: readonly string[]): Promise<number> {
  let values: Wishes;
  try {
    values = parseArgs({ ...OPTIONS, args: [...arguments_] }).values;
  } catch (error) {
    return refuse(messageOf(error));
  }
  const app = PHONE_APPS[values.app];
  if (app === undefined) return refuse(`--app is one of ${Object.keys(PHONE_APPS).join(', ')}.`);
  if (!values.store || !values.secret) return refuse('Say --store and --secret; npm start prints them.');
  const [amount, times] = [Number(values.amount), Number(values.times)];
  if (!(amount > 0)) return refuse('--amount is a number of taka.');
  if (!Number.isInteger(times) || times < 1 || times > MOST_TIMES)
    return refuse(`--times is a number from 1 to ${MOST_TIMES}.`);
  const at = new Date();
  const message = { sender: values.sender, text: values.text ?? receiptText(amount, at), at };
  const address = `${values.url.replace(/\/+$/, '')}/api/webhooks/${values.service}/sms`;
  const target = { address, storeId: values.store, webhookSecret: values.secret };
  process.stdout.write(`${message.sender}: ${message.text}\n`);
  let code = 0;
  for (let time = 0; time < times; time += 1) {
    try {
      if (!(await send(app(message, target)))) code = 1;
    } catch (error) {
      return refuse(`${address} did not answer: ${messageOf(error)}`);
    }
  }
  return code;
}

/** Says what was answered; whether it was a 2xx. */
async function send({ url, headers, body }: PhoneRequest): Promise<boolean> {
  const answer = await fetch(url, {
    method: 'POST',
    headers,
    // As bytes: of a text, fetch would name a content type where the app names none.
    body: Buffer.from(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  process.stdout.write(`${answer.status} ${await answer.text()}\n`);
  return answer.ok;
}

function refuse(line: string): number {
  process.stderr.write(`${line}\n`);
  return 1;
}
