/** A time in milliseconds as the text of a PostgreSQL interval, for a parameter that is cast with `::interval`. */
export function interval(ms: number): string {
  return `${ms} milliseconds`;
}
