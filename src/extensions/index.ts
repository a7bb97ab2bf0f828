import { CREATE_CHARGE } from './create-charge/create-charge.extension.js';
import { DAY_CLOSE } from './day-close/day-close.extension.js';
import { EMAIL } from './email/email.extension.js';
import type { Extension } from './extension.js';

export type { Extension } from './extension.js';
export { switchOn } from './switch-on.js';

/** The one list of all extensions; `EXTENSIONS` switches them on by name. */
export const EXTENSIONS: readonly Extension[] = [DAY_CLOSE, EMAIL, CREATE_CHARGE];
