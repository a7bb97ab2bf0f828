/** A payment in review, with the receipts that are attached to it or claimed by it. */
export interface InReview {
  readonly payment: { readonly id: string };
  readonly receipts: readonly { readonly id: string }[];
}

/**
 * Those that are in review over one receipt belong together, whoever they share it with (contract 4.44); the order
 * stays.
 */
export function groupByReceipt<Case extends InReview>(cases: readonly Case[]): Case[][] {
  const groups: { readonly cases: Case[]; readonly receiptIds: Set<string> }[] = [];
  for (const one of cases) {
    const ids = one.receipts.map(({ id }) => id);
    const [first, ...others] = groups.filter(({ receiptIds }) => ids.some((id) => receiptIds.has(id)));
    if (first === undefined) {
      groups.push({ cases: [one], receiptIds: new Set(ids) });
      continue;
    }
    // It may be what holds several together.
    for (const other of others) {
      first.cases.push(...other.cases);
      for (const id of other.receiptIds) first.receiptIds.add(id);
      groups.splice(groups.indexOf(other), 1);
    }
    first.cases.push(one);
    for (const id of ids) first.receiptIds.add(id);
  }
  return groups.map((group) => group.cases);
}
