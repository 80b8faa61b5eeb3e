/** Items by their organization, in the order in which each organization comes first. */
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
  return groups;
}
