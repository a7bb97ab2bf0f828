import { BOGKONSTANTIN } from './bogkonstantin.js';
import {
  type Body,
  type ForwardedMessage,
  type Forwarder,
  type NoMessage,
  type Recipe,
} from './forwarder.js';
import { GENERIC } from './generic.js';
import { HTTPSMS } from './httpsms.js';
import { SMSFORWARDER } from './smsforwarder.js';
import { SMSGATE } from './smsgate.js';
import { TEXTBEE } from './textbee.js';

/** The apps that are known, the one that takes everything last. To add one: a file beside these, and its name here. */
export const FORWARDERS: readonly Forwarder[] = [
  SMSGATE,
  HTTPSMS,
  TEXTBEE,
  BOGKONSTANTIN,
  SMSFORWARDER,
  GENERIC,
];

/** The message in a body, whichever app wrote it; null when there is none to be found. */
export function readForwarded(body: Body): ForwardedMessage | NoMessage | null {
  return FORWARDERS.find((forwarder) => forwarder.wrote(body))?.read(body) ?? null;
}

/** How each app is connected, the easiest to set up first. */
export const RECIPES: readonly Recipe[] = [
  BOGKONSTANTIN,
  SMSGATE,
  HTTPSMS,
  TEXTBEE,
  SMSFORWARDER,
  GENERIC,
].map(({ recipe }) => recipe);

export {
  type Body,
  type ForwardedMessage,
  isObject,
  type NoMessage,
  type PhoneDoor,
  type Recipe,
  RECIPE_SETTINGS,
  type RecipeSetting,
} from './forwarder.js';
