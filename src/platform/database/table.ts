import type { QueryResultRow } from 'pg';
import { Check, Column as TypeOrmColumn, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { RawJson } from '../../kernel/raw-json.js';
import type { Statement } from './transaction.js';
import { plainArray, textArray } from './plain-array.js';

type SqlType = 'uuid' | 'text' | 'integer' | 'bigint' | 'boolean' | 'timestamptz' | 'jsonb' | 'bytea';

/** How a column behaves, and how its values are read and written; null never reaches `read` and `write`. */
interface Traits {
  readonly isKey: boolean;
  readonly isNullable: boolean;
  readonly isBorn: boolean;
  readonly isChanging: boolean;
  readonly defaultValue: unknown;
  readonly read: (stored: unknown) => unknown;
  readonly write: (value: unknown) => unknown;
}

const asItIs = (value: unknown) => value;
const PLAIN: Traits = {
  isKey: false,
  isNullable: false,
  isBorn: true,
  isChanging: false,
  defaultValue: undefined,
  read: asItIs,
  write: asItIs,
};

/** One column: its name and type in the database, and what may become of it. */
export class Column<Value> {
  /** Never set: carries the type of the values. */
  declare readonly value: Value;

  constructor(
    readonly name: string,
    readonly type: SqlType,
    readonly traits: Traits = PLAIN,
  ) {}

  /** Part of the primary key. */
  key(): Column<Value> {
    return this.with({ isKey: true });
  }

  orNull(): Column<Value | null> {
    return this.with<Value | null>({ isNullable: true });
  }

  /** The value that the database writes where an insert leaves the column out. */
  withDefault(defaultValue: unknown): Column<Value> {
    return this.with({ defaultValue });
  }

  /** Given when the row is inserted, and changed later: part of `insert` and of `changes`. */
  changing(): Column<Value> {
    return this.with({ isChanging: true });
  }

  /** Null, or its default, when the row is inserted, and changed later: part of `changes` only. */
  later(): Column<Value> {
    return this.with({ isChanging: true, isBorn: false });
  }

  /** Null, or its default, for this table's owner; somebody else's statement writes it. */
  foreign(): Column<Value> {
    return this.with({ isChanging: false, isBorn: false });
  }

  read(stored: unknown): unknown {
    return stored === null || stored === undefined ? null : this.traits.read(stored);
  }

  write(value: unknown): unknown {
    return value === null || value === undefined ? null : this.traits.write(value);
  }

  private with<Other = Value>(traits: Partial<Traits>): Column<Other> {
    return new Column<Other>(this.name, this.type, { ...this.traits, ...traits });
  }
}

export const uuid = (name: string) => new Column<string>(name, 'uuid');
export const text = <Value extends string = string>(name: string) => new Column<Value>(name, 'text');
export const integer = (name: string) => new Column<number>(name, 'integer');
export const flag = (name: string) => new Column<boolean>(name, 'boolean');
export const instant = (name: string) => new Column<Date>(name, 'timestamptz');
export const bytes = (name: string) => new Column<Buffer>(name, 'bytea');
/** A `bigint` that a JavaScript number holds exactly: minor units, milliseconds. */
export const whole = (name: string) =>
  new Column<number>(name, 'bigint', { ...PLAIN, read: (stored) => Number(stored) });
/** A `bigint` that may be more than a JavaScript number holds exactly: its digits. */
export const bigText = (name: string) => new Column<string>(name, 'bigint');
export const json = <Value>(name: string) =>
  new Column<Value>(name, 'jsonb', { ...PLAIN, write: (value) => JSON.stringify(value) });
/** Somebody's own JSON, letter by letter: `jsonb` would sort its keys, and `json` is not comparable. */
export const rawJson = (name: string) =>
  new Column<RawJson>(name, 'text', {
    ...PLAIN,
    read: (stored) => new RawJson(stored as string),
    write: (value) => (value as RawJson).text,
  });

type Columns = Readonly<Record<string, Column<unknown>>>;
type ValueOf<One> = One extends Column<infer Value> ? Value : never;

/** A row as the code knows it. */
export type RecordOf<Of> =
  Of extends Table<infer Map> ? { readonly [Field in keyof Map]: ValueOf<Map[Field]> } : never;

/**
 * The rules of a table that TypeORM compares with the database besides the columns. Fields are named as in the column
 * map.
 */
export interface TableRules {
  readonly checks?: Readonly<Record<string, string>>;
  readonly unique?: Readonly<Record<string, readonly string[]>>;
  readonly indexes?: Readonly<
    Record<
      string,
      { readonly on: readonly string[]; readonly where?: string; readonly unique?: boolean } | 'expression'
    >
  >;
  readonly foreignKeys?: Readonly<
    Record<
      string,
      {
        readonly on: readonly string[];
        readonly to: string;
        readonly columns: readonly string[];
        readonly onDelete?: 'CASCADE';
      }
    >
  >;
}

/**
 * The column map of a table: the type of its rows, the list of its columns, its inserts, its reader and the entity that
 * TypeORM compares with the database derive from it, so that a column is one line (and one in the migration).
 */
export class Table<Map extends Columns> {
  private readonly fields: readonly (readonly [string, Column<unknown>])[];
  private readonly born: readonly (readonly [string, Column<unknown>])[];
  private readonly changing: readonly (readonly [string, Column<unknown>])[];

  constructor(
    readonly name: string,
    readonly columns: Map,
    private readonly rules: TableRules = {},
  ) {
    this.fields = Object.entries(columns);
    this.born = this.fields.filter(([, { traits }]) => traits.isBorn);
    this.changing = this.fields.filter(([, { traits }]) => traits.isChanging);
  }

  /** Some columns of the table, for a SELECT that reads no others. */
  pick<Field extends keyof Map & string>(...fields: readonly Field[]): Table<Pick<Map, Field>> {
    const picked = fields.map((field) => [field, this.columns[field]] as const);
    return new Table(this.name, Object.fromEntries(picked) as Pick<Map, Field>);
  }

  /** All columns, each with the alias before it, for a SELECT. */
  list(alias?: string): string {
    const prefix = alias === undefined ? '' : `${alias}.`;
    return this.fields.map(([, { name }]) => `${prefix}${name}`).join(', ');
  }

  /** A row of `list` as the code knows it. */
  read(row: QueryResultRow): RecordOf<Table<Map>> {
    const record: Record<string, unknown> = {};
    for (const [field, column] of this.fields) record[field] = column.read(row[column.name]);
    return record as RecordOf<Table<Map>>;
  }

  /** Inserts one row whose values are `valuesOf` it. */
  insert(name: string, suffix = ''): Statement {
    const born = this.born;
    const columns = born.map(([, column]) => column.name).join(', ');
    const parameters = born.map((_, index) => `$${index + 1}`).join(', ');
    return { name, text: `INSERT INTO ${this.name} (${columns}) VALUES (${parameters}) ${suffix}`.trim() };
  }

  valuesOf(record: Partial<RecordOf<Table<Map>>>): unknown[] {
    return this.born.map(([field, column]) => column.write(record[field as keyof typeof record]));
  }

  /**
   * Inserts any number of rows with a parameter for each column, `arraysOf` them: a statement may have 65,535
   * parameters at most.
   */
  insertMany(name: string): Statement {
    const names = this.born.map(([, column]) => column.name).join(', ');
    const arrays = this.born.map(([, { type }], index) => `$${index + 1}::${type}[]`).join(', ');
    return {
      name,
      text: `INSERT INTO ${this.name} (${names}) SELECT * FROM unnest(${arrays}) AS row (${names})`,
    };
  }

  /**
   * An array of each column. Where nothing in it has a value it is null: what `unnest` has no element of is null,
   * too.
   */
  arraysOf(records: readonly Partial<RecordOf<Table<Map>>>[]): (string | null)[] {
    return this.born.map(([field, column]) => {
      const values = records.map((record) => elementOf(column.write(record[field as keyof typeof record])));
      if (values.every((value) => value === null)) return null;
      return NEEDS_QUOTES.has(column.type) ? textArray(values) : plainArray(values);
    });
  }

  /** `column = $n, …` of everything that changes, from parameter `first`; the values are `changedValuesOf` the row. */
  changes(first: number): string {
    return this.changing.map(([, column], index) => `${column.name} = $${first + index}`).join(', ');
  }

  changedValuesOf(record: Partial<RecordOf<Table<Map>>>): unknown[] {
    return this.changing.map(([field, column]) => column.write(record[field as keyof typeof record]));
  }

  /** The table as TypeORM compares it with the database: a class, as if it had been decorated by hand. */
  entity(): new () => object {
    const entity = class {};
    Object.defineProperty(entity, 'name', { value: this.name });
    const { checks = {}, unique = {}, indexes = {}, foreignKeys = {} } = this.rules;
    for (const [field, column] of this.fields) decorateColumn(entity.prototype, this.name, field, column);
    for (const [name, expression] of Object.entries(checks)) Check(name, expression)(entity);
    for (const [name, fields] of Object.entries(unique)) Unique(name, [...fields])(entity);
    for (const [name, index] of Object.entries(indexes)) {
      // TypeORM cannot say an index on an expression; it then leaves the index of that name alone.
      if (index === 'expression') Index(name, { synchronize: false })(entity);
      else Index(name, [...index.on], { unique: index.unique ?? false, where: index.where })(entity);
    }
    for (const [name, { on, to, columns, onDelete }] of Object.entries(foreignKeys)) {
      // Its types know tuples only.
      ForeignKey(to, on as [], columns as [], { name, ...(onDelete === undefined ? {} : { onDelete }) })(
        entity,
      );
    }
    Entity(this.name)(entity);
    return entity;
  }
}

/** Types whose values may hold any character. */
const NEEDS_QUOTES = new Set(['text', 'jsonb', 'bytea']);

/** A value as PostgreSQL reads it. */
function elementOf(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return String.raw`\x${value.toString('hex')}`;
  return (value as number | boolean | bigint).toString();
}

function decorateColumn(prototype: object, table: string, field: string, column: Column<unknown>): void {
  const { name, type, traits } = column;
  const options = {
    name,
    type,
    ...(type === 'timestamptz' ? { precision: 3 } : {}),
    ...(traits.defaultValue === undefined ? {} : { default: traits.defaultValue }),
  };
  const decorate = traits.isKey
    ? PrimaryColumn({ ...options, primaryKeyConstraintName: `${table}_pkey` })
    : TypeOrmColumn({ ...options, nullable: traits.isNullable });
  decorate(prototype, field);
}

export function table<Map extends Columns>(name: string, columns: Map, rules: TableRules = {}): Table<Map> {
  return new Table(name, columns, rules);
}
