/** A time in milliseconds as the text of a PostgreSQL interval, for a parameter that is cast with `::interval`. */
export function interval(ms: number): string {
  return `${ms} milliseconds`;
}

/** Casts a numeric parameter in milliseconds to an interval: `$1::${MILLISECONDS}`. */
export const MILLISECONDS = "double precision * interval '1 millisecond'";
