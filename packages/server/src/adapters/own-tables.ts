/** Prefix of Steward's own tables in a data source, reserved for Steward. */
const PREFIX = "_steward_";

/** The table of markers, which records whose writes took effect (Decision §3). */
export const MARKER_TABLE = "_steward_steps";

/** Whether a name is that of one of Steward's own tables, in any schema and any case. */
export function isOwnTable(name: string): boolean {
  return name.toLowerCase().split(".").at(-1)?.startsWith(PREFIX) === true;
}
