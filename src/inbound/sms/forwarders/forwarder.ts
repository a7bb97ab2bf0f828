import { beginsWithDay } from '../../../platform/http/index.js';

/** An SMS as an app forwarded it, before anybody has asked what it means. */
export interface ForwardedMessage {
  /** The app that sent it, by the name of its file here. */
  readonly app: string;
  readonly sender: string;
  readonly text: string;
  /** The network's time stamp; null when the app has none. */
  readonly sentAt: Date | null;
  /** The phone's clock when it came; null when the app says nothing, or nothing that names an instant. */
  readonly receivedAt: Date | null;
  /** Which SIM card it came to, in the app's words. */
  readonly sim: string | null;
  /** Which phone it came to, by its number or by the app's id for it; null when the app does not say. */
  readonly phone: string | null;
  /** It is a notification that some app has shown, and no SMS (contract 9.23). */
  readonly isNotification: boolean;
  /** The text is not what the wallet wrote: the app keeps its key to itself. */
  readonly encrypted: boolean;
}

/** A request of an app that holds no SMS: its test, or a sign of life. */
export interface NoMessage {
  readonly app: string;
  readonly event: string;
}

export type Body = Readonly<Record<string, unknown>>;

/** The address to which a store's phone sends, and its proof. */
export interface PhoneDoor {
  /** Address of `…/sms`, without a query. */
  readonly address: string;
  readonly storeId: string;
  readonly webhookSecret: string;
}

/** The settings of an app; pages have words for each. */
export const RECIPE_SETTINGS = [
  'address',
  'address_with_secret',
  'method',
  'headers',
  'secret_header',
  'type_header',
  'template',
  'chunked_mode',
  'event',
  'signing_key',
  'encryption',
] as const;
export type RecipeSetting = (typeof RECIPE_SETTINGS)[number];

/** How the owner of a phone sets the app up. */
export interface Recipe {
  readonly title: string;
  /** Where the app is to be had; null for whatever app it may be. */
  readonly home: string | null;
  readonly settings: (door: PhoneDoor) => readonly (readonly [setting: RecipeSetting, value: string])[];
}

/** For apps that sign with the secret instead of sending it: the address says which store's it is. */
export function addressOfStore({ address, storeId }: PhoneDoor): string {
  return `${address}?store=${storeId}`;
}

/** One forwarder app: knows its bodies by their form, and reads them. */
export interface Forwarder {
  readonly name: string;
  readonly recipe: Recipe;
  /** Whether the app wrote this body. */
  wrote(body: Body): boolean;
  /** Null when it holds no text to read. */
  read(body: Body): ForwardedMessage | NoMessage | null;
}

export function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first of the names that holds a text; numbers count as one, because templates leave quotation marks out. */
export function textOf(places: readonly Body[], names: readonly string[]): string | null {
  for (const name of names) {
    for (const place of places) {
      const value = place[name];
      if (typeof value === 'string') return value;
      if (typeof value === 'number') return String(value);
    }
  }
  return null;
}

/** The first of the names that names an instant (wallets §6). */
export function instantOf(places: readonly Body[], names: readonly string[]): Date | null {
  for (const name of names) {
    for (const place of places) {
      const at = readInstant(place[name]);
      if (at !== null) return at;
    }
  }
  return null;
}

const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);
/** A number below this counts seconds: as milliseconds it would be a day of 1973. */
const LEAST_MILLISECONDS = 100_000_000_000;
const ISO_WITH_ZONE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(?:Z|[+-]\d{2}:?\d{2})$/i;

/** Seconds or milliseconds since 1970, the same as a text, or ISO 8601 with its zone; anything else is no time. */
export function readInstant(value: unknown): Date | null {
  let at = NaN;
  if (typeof value === 'number') at = value;
  else if (typeof value === 'string' && /^\d{9,16}(?:\.\d{1,6})?$/.test(value.trim())) at = Number(value);
  else if (typeof value === 'string' && ISO_WITH_ZONE.test(value.trim()) && beginsWithDay(value.trim()))
    at = Date.parse(value.trim());
  if (typeof value !== 'string' || !value.includes('-')) at = at < LEAST_MILLISECONDS ? at * 1_000 : at;
  return at >= EARLIEST_MS && at < LATEST_MS ? new Date(Math.round(at)) : null;
}
