import { ReceiptReasonBody } from '../../payments/index.js';
import { limitsOf } from '../../platform/http/index.js';
import type { Markup } from '../../platform/web/html.js';
import { text } from '../kit/form.js';
import type { Visit } from '../kit/visit.js';
import { WORDS } from '../kit/words.js';

const REASON = text({ label: WORDS.reason, hint: WORDS.reasonHint });
const LIMITS = limitsOf(ReceiptReasonBody, 'reason');

/** The field for the reason of a decision, whose limits all decisions share. */
export function renderReason(visit: Visit): Markup {
  return REASON.draw(visit, { name: 'reason', value: undefined, limits: LIMITS });
}
