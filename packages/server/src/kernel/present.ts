/** Each of the members, if it has a value. */
export type Present<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** The members that have a value. Absent members are left out, so that none is undefined or null. */
export function present<Members extends object>(members: Members): Present<Members> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  // Object.fromEntries loses the names; the filter changes nothing else.
  return Object.fromEntries(entries) as Present<Members>;
}
