/**
 * Makes something when it is asked for first, and the same promise for everybody after; one that failed is made again
 * for the next.
 */
export function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
