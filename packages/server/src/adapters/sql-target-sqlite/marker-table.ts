/** The table, in the data source itself, that says which steps' writes took effect (Decision §3). */
export const MARKER_TABLE = "_steward_steps";

/** Whether a statement means that table; to SQLite the case of a name does not matter. */
export function isMarkerTable(name: string): boolean {
  return name.toLowerCase() === MARKER_TABLE;
}
