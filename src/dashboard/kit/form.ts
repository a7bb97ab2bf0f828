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
  /** Markup that follows a field. */
  readonly below?: { readonly [Name in keyof Body]?: Printable };
}

/** The fields of a body that a user fills in: drawn and read from one declaration, checked by the body's own rules. */
export class Form<Body extends object> {
  private readonly fields: readonly {
    readonly name: string;
    readonly field: Field;
    readonly limits: Limits;
  }[];

  /** A name that the body does not have is a compile error. */
  constructor(
    private readonly body: Type<Body>,
    fields: { readonly [Name in keyof Body & string]?: Field },
  ) {
    this.fields = Object.entries(fields as Record<string, Field>).map(([name, field]) => ({
      ...{ name, field },
      limits: limitsOf(body, name),
    }));
  }

  /** With what was typed while the form is shown again, and what was refused at each field. */
  render(visit: Visit, { values = {}, below = {}, ...options }: FormOptions & Shown<Body>): Markup {
    const drawn = this.fields.map(({ name, field, limits }) => {
      const key = name as keyof Body;
      return html`${field.draw(visit, { name, value: values[key], limits })} ${below[key]}`;
    });
    return renderForm(visit, options, drawn);
  }

  /** @throws DomainError `request.invalid`, by the rules of the API's own body */
  read(visit: Visit, more: Partial<Body> = {}): Promise<Body> {
    const read = this.fields.map(
      ({ name, field, limits }) => [name, field.read(visit, name, limits)] as const,
    );
    const given = read.filter(([, value]) => value !== undefined);
    return visit.checked(this.body, { ...Object.fromEntries(given), ...more });
  }
}

type Look = Pick<FieldOptions, 'type' | 'autocomplete' | 'inputmode' | 'code' | 'rows'>;

interface FieldWords {
  readonly label: InBothLanguages;
  readonly hint?: InBothLanguages;
}

interface TextWords extends FieldWords, Look {
  /** True where the form asks for a value that the body may leave out. */
  readonly required?: true;
  /** Characters, for a field whose body sets no limit. */
  readonly max?: number;
}

/** The value that an empty field gives the body. */
function nothing({ required, nullable }: Limits): '' | null | undefined {
  if (required) return '';
  return nullable ? null : undefined;
}

/** A text; blanks around it do not count. */
export function text(words: TextWords, change: (typed: string) => unknown = (typed) => typed): Field {
  const { label, hint, required, max, ...look } = words;
  return {
    draw(visit, { name, value, limits }) {
      const maxlength = limits.max ?? max;
      return renderField(visit, {
        ...{ name, label, ...look },
        ...(hint === undefined ? {} : { hint: visit.say(hint) }),
        ...(value === undefined ? {} : { value: String(value ?? '') }),
        ...((required ?? limits.required) ? { required: true } : {}),
        ...(maxlength === undefined ? {} : { maxlength }),
      });
    },
    read(visit, name, limits) {
      const typed = visit.text(name);
      if (typed !== null) return change(typed);
      return nothing({ ...limits, required: required ?? limits.required });
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
