/**
 * Items grouped by organization and ordered by its id. Transactions that lock rows of several
 * organizations in this order cannot deadlock.
 */
export function byOrganization<T>(
  items: readonly T[],
  orgIdOf: (item: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(orgIdOf(item));
    if (group === undefined) groups.set(orgIdOf(item), [item]);
    else group.push(item);
  }
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}
