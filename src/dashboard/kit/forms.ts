import { html, type Markup, NOTHING, type Printable } from '../../platform/web/html.js';
import { ICONS } from '../../platform/web/icons.js';
import { typedNumber } from '../../platform/web/numerals.js';
import type { InBothLanguages } from './page-definition.js';
import type { Visit } from './visit.js';

/*
 * Forms of the dashboard: plain ones, which work without a script. A refused one is shown again with what was typed,
 * and what is wrong stands at its field.
 */

export const TOKEN_FIELD = '_token';
export const CONFIRM_FIELD = '_confirmed';

export interface FormOptions {
  /** Hidden fields of the form. */
  readonly hidden?: Readonly<Record<string, string>>;
  readonly action: string;
  readonly submit: InBothLanguages;
  readonly kind?: 'primary' | 'quiet' | 'danger';
  /** Says more than the button where several have the same word. */
  readonly label?: string;
  readonly id?: string;
  /** Has a field for a file (`renderFile`). */
  readonly withFile?: boolean;
  /** Further buttons, which send the same fields elsewhere. */
  readonly others?: readonly {
    readonly action: string;
    readonly words: InBothLanguages;
    readonly danger?: boolean;
    /** Sent as it is: it needs none of the fields that the first button needs. */
    readonly asItIs?: boolean;
  }[];
}

/** A form that changes something. */
export function renderForm(visit: Visit, options: FormOptions, fields: Printable = NOTHING): Markup {
  const { kind = 'primary' } = options;
  return html`<form
    method="post"
    action="${options.action}"
    class="form ${fields === NOTHING && 'form-button'}"
    ${options.id !== undefined && html`id="${options.id}"`}
    ${options.withFile === true && html`enctype="multipart/form-data"`}
  >
    <input type="hidden" name="${TOKEN_FIELD}" value="${visit.formToken}" />
    ${Object.entries(options.hidden ?? {}).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${fields}
    <p class="buttons">
      <button
        type="submit"
        class="${kind === 'danger' ? 'quiet danger-text' : kind}"
        ${options.label !== undefined && html`aria-label="${options.label}"`}
      >
        ${visit.say(options.submit)}
      </button>
      ${(options.others ?? []).map(
        (other) =>
          html`<button
            type="submit"
            formaction="${other.action}"
            class="quiet ${other.danger && 'danger-text'}"
            ${other.asItIs === true && html`formnovalidate`}
          >
            ${visit.say(other.words)}
          </button>`,
      )}
    </p>
  </form>`;
}

export interface FieldOptions {
  readonly name: string;
  readonly label: InBothLanguages;
  readonly value?: string | null;
  readonly hint?: string;
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'date' | 'search' | 'datetime-local' | 'number';
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly inputmode?: 'text' | 'decimal' | 'numeric' | 'tel';
  readonly maxlength?: number;
  /** Told apart from a field of the same name elsewhere on the page. */
  readonly id?: string;
  readonly code?: boolean;
  readonly rows?: number;
}

export function renderField(visit: Visit, options: FieldOptions): Markup {
  const id = options.id ?? `field-${options.name}`;
  const error = visit.refusal?.fields.get(options.name) ?? null;
  const described = [
    options.hint === undefined ? null : `${id}-hint`,
    error === null ? null : `${id}-error`,
  ].filter((part) => part !== null);
  const value = options.type === 'password' ? '' : visit.typed(options.name, options.value ?? '');
  const common = html`id="${id}" name="${options.name}" ${options.required === true && html`required`}
  ${described.length > 0 && html`aria-describedby="${described.join(' ')}"`}
  ${error !== null && html`aria-invalid="true"`}
  ${options.maxlength !== undefined && html`maxlength="${options.maxlength}"`}`;
  const { type = 'text' } = options;
  return html`<div class="field">
    <label for="${id}">${visit.say(options.label)}</label>
    ${
      options.rows === undefined
        ? html`<input
            type="${type}"
            ${common}
            class="${options.code === true && 'code'}"
            autocomplete="${options.autocomplete ?? 'off'}"
            ${options.inputmode !== undefined && html`inputmode="${options.inputmode}"`}
            value="${value}"
          />`
        : html`<textarea ${common} rows="${options.rows}" class="${options.code === true && 'code'}">
${value}</textarea>`
    }
    ${options.hint !== undefined && html`<p class="hint" id="${id}-hint">${options.hint}</p>`}
    ${error !== null && html`<p class="error" id="${id}-error">${ICONS.alert}<span>${error}</span></p>`}
  </div>`;
}

/** A field for one file; it stands last in its form, which has `withFile`. */
export function renderFile(
  visit: Visit,
  options: Pick<FieldOptions, 'name' | 'label' | 'hint'> & { readonly accept: string },
): Markup {
  const id = `field-${options.name}`;
  const error = visit.refusal?.fields.get(options.name) ?? null;
  const described = [
    options.hint === undefined ? null : `${id}-hint`,
    error === null ? null : `${id}-error`,
  ].filter((part) => part !== null);
  return html`<div class="field">
    <label for="${id}">${visit.say(options.label)}</label>
    <input
      type="file"
      id="${id}"
      name="${options.name}"
      accept="${options.accept}"
      required
      ${described.length > 0 && html`aria-describedby="${described.join(' ')}"`}
      ${error !== null && html`aria-invalid="true"`}
    />
    ${options.hint !== undefined && html`<p class="hint" id="${id}-hint">${options.hint}</p>`}
    ${error !== null && html`<p class="error" id="${id}-error">${ICONS.alert}<span>${error}</span></p>`}
  </div>`;
}

export interface Choice {
  readonly value: string;
  readonly text: string;
}

export function renderSelect(
  visit: Visit,
  options: Pick<FieldOptions, 'name' | 'label' | 'hint' | 'id'> & {
    readonly choices: readonly Choice[];
    readonly value?: string;
  },
): Markup {
  const id = options.id ?? `field-${options.name}`;
  const chosen = visit.typed(options.name, options.value ?? '');
  const error = visit.refusal?.fields.get(options.name) ?? null;
  return html`<div class="field">
    <label for="${id}">${visit.say(options.label)}</label>
    <select id="${id}" name="${options.name}" ${error !== null && html`aria-invalid="true"`}>
      ${options.choices.map(
        ({ value, text }) =>
          html`<option value="${value}" ${value === chosen && html`selected`}>${text}</option>`,
      )}
    </select>
    ${options.hint !== undefined && html`<p class="hint">${options.hint}</p>`}
    ${error !== null && html`<p class="error">${ICONS.alert}<span>${error}</span></p>`}
  </div>`;
}

export function renderCheckbox(
  visit: Visit,
  options: {
    readonly name: string;
    readonly label: InBothLanguages;
    readonly checked: boolean;
    readonly hint?: string;
  },
): Markup {
  const checked = visit.refusal === null ? options.checked : visit.field(options.name) !== '';
  return html`<div class="check">
    <input
      type="checkbox"
      id="field-${options.name}"
      name="${options.name}"
      value="yes"
      ${checked && html`checked`}
    />
    <label for="field-${options.name}">${visit.say(options.label)}</label>
    ${options.hint !== undefined && html`<p class="hint">${options.hint}</p>`}
  </div>`;
}

/** Choices of which one is to be taken; nothing is chosen beforehand unless it is said. */
export function renderRadios(
  visit: Visit,
  options: {
    readonly name: string;
    readonly legend: string;
    readonly choices: readonly { readonly value: string; readonly text: Printable }[];
    readonly value?: string;
    readonly required?: boolean;
    readonly hint?: Printable;
  },
): Markup {
  const chosen = visit.typed(options.name, options.value ?? '');
  return html`<fieldset class="radios">
    <legend>${options.legend}</legend>
    ${options.hint !== undefined && html`<p class="hint">${options.hint}</p>`}
    ${options.choices.map(
      ({ value, text }, index) =>
        html`<div class="check">
          <input
            type="radio"
            id="field-${options.name}-${index}"
            name="${options.name}"
            value="${value}"
            ${value === chosen && html`checked`}
            ${options.required === true && html`required`}
          />
          <label for="field-${options.name}-${index}">${text}</label>
        </div>`,
    )}
  </fieldset>`;
}

/** A form that only asks: its fields stand in the address. */
export function renderFilter(visit: Visit, submit: InBothLanguages, fields: Printable): Markup {
  const path = visit.request.url.split('?', 1)[0] ?? '';
  return html`<form method="get" action="${path}" class="filter" role="search">
    ${fields}
    <button type="submit" class="quiet">${visit.say(submit)}</button>
  </form>`;
}

/**
 * An amount as a user types it: Bangla digits and grouping are fine. What is no number is refused where it is
 * checked.
 */
export function typedAmount(typed: string): number | string {
  const plain = typedNumber(typed);
  return /^\d+(?:\.\d+)?$/.test(plain) ? Number(plain) : typed;
}
