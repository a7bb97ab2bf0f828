import type { Type } from '@nestjs/common';
import { type Limits, limitsOf } from '../../platform/http/index.js';
import { html, type Markup, type Printable } from '../../platform/web/html.js';
import {
  type Choice,
  type FieldOptions,
  type FormOptions,
  renderCheckbox,
  renderField,
  renderForm,
  renderSelect,
  typedAmount,
} from './forms.js';
import type { InBothLanguages } from './page-definition.js';
import type { Visit } from './visit.js';

/** A value that a field shows before somebody types another. */
type Value = string | boolean | null | undefined;

/** One field of a form: how it is drawn, and how what was typed becomes a value of the body. */
export interface Field {
  draw(
    visit: Visit,
    drawn: { readonly name: string; readonly value: Value; readonly limits: Limits },
  ): Markup;
  /** Undefined leaves the field out of the body. */
  read(visit: Visit, name: string, limits: Limits): unknown;
}

interface Shown<Body> {
  readonly values?: { readonly [Name in keyof Body]?: Value };
  /** What stands below a field. */
  readonly below?: { readonly [Name in keyof Body]?: Printable };
}

/** The fields of a body that a user fills in: drawn and read from one declaration, checked by the body's own rules. */
export class Form<Body extends object> {
  private readonly limits = new Map<string, Limits>();

  /** A name that the body does not have is a compile error. */
  constructor(
    private readonly body: Type<Body>,
    private readonly fields: { readonly [Name in keyof Body & string]?: Field },
  ) {
    for (const name of Object.keys(fields)) this.limits.set(name, limitsOf(body, name));
  }

  /** With what was typed while the form is shown again, and what was refused at each field. */
  render(visit: Visit, { values = {}, below = {}, ...options }: FormOptions & Shown<Body>): Markup {
    const drawn = this.each((name, field, limits) => {
      const key = name as keyof Body;
      return html`${field.draw(visit, { name, value: values[key], limits })} ${below[key]}`;
    });
    return renderForm(visit, options, drawn);
  }

  /** @throws DomainError `request.invalid`, by the rules of the API's own body */
  read(visit: Visit, more: Partial<Body> = {}): Promise<Body> {
    const read = this.each((name, field, limits) => [name, field.read(visit, name, limits)] as const);
    const given = read.filter(([, value]) => value !== undefined);
    return visit.checked(this.body, { ...Object.fromEntries(given), ...more });
  }

  private each<Result>(use: (name: string, field: Field, limits: Limits) => Result): Result[] {
    return Object.entries<Field | undefined>(this.fields).flatMap(([name, field]) => {
      const limits = this.limits.get(name);
      return field === undefined || limits === undefined ? [] : [use(name, field, limits)];
    });
  }
}

type Look = Pick<FieldOptions, 'type' | 'autocomplete' | 'inputmode' | 'code' | 'rows'>;

interface FieldWords {
  readonly label: InBothLanguages;
  readonly hint?: InBothLanguages;
}

interface TextWords extends FieldWords, Look {
  /** Where the form needs what the body may leave out. */
  readonly required?: true;
  /** Where the body has no limit of its own. */
  readonly max?: number;
}

/** What an empty field is to the body. */
function nothing({ required, nullable }: Limits): '' | null | undefined {
  if (required) return '';
  return nullable ? null : undefined;
}

function isRequired(words: TextWords, limits: Limits): boolean {
  return words.required ?? limits.required;
}

/** A text; blanks around it do not count. */
export function text(words: TextWords, change: (typed: string) => unknown = (typed) => typed): Field {
  const { label, hint, required: _required, max, ...look } = words;
  return {
    draw: (visit, { name, value, limits }) =>
      renderField(visit, {
        ...{ name, label, ...look },
        ...(hint === undefined ? {} : { hint: visit.say(hint) }),
        ...(value === undefined ? {} : { value: String(value ?? '') }),
        ...(isRequired(words, limits) ? { required: true } : {}),
        ...(limits.max === undefined && max === undefined ? {} : { maxlength: limits.max ?? max ?? 0 }),
      }),
    read(visit, name, limits) {
      const typed = visit.text(name);
      if (typed !== null) return change(typed);
      return nothing(isRequired(words, limits) ? { ...limits, required: true } : limits);
    },
  };
}

/** An amount of money, in Bangla digits, too. */
export function amount(words: FieldWords): Field {
  return text({ ...words, inputmode: 'decimal', max: 20 }, typedAmount);
}

/** A code in capitals, such as a currency. */
export function capitals(words: TextWords): Field {
  return text({ ...words, code: true }, (typed) => typed.toUpperCase());
}

/** Every character of it counts, and it is not shown again. */
export function password(words: FieldWords, autocomplete: 'current-password' | 'new-password'): Field {
  const shown = text({ ...words, type: 'password', autocomplete });
  return {
    draw: (visit, { limits, ...drawn }) =>
      shown.draw(visit, { ...drawn, limits: { ...limits, max: undefined } }),
    read: (visit, name) => visit.field(name),
  };
}

export function checkbox({ label, hint }: FieldWords): Field {
  return {
    draw: (visit, { name, value }) =>
      renderCheckbox(visit, {
        ...{ name, label, checked: value === true },
        ...(hint === undefined ? {} : { hint: visit.say(hint) }),
      }),
    read: (visit, name) => visit.field(name) !== '',
  };
}

/** One of several; nothing chosen is an empty field. */
export function choice({ label, hint }: FieldWords, choices: (visit: Visit) => readonly Choice[]): Field {
  return {
    draw: (visit, { name, value }) =>
      renderSelect(visit, {
        ...{ name, label, choices: choices(visit) },
        ...(hint === undefined ? {} : { hint: visit.say(hint) }),
        ...(typeof value === 'string' ? { value } : {}),
      }),
    read: (visit, name, limits) => visit.text(name) ?? nothing(limits),
  };
}
