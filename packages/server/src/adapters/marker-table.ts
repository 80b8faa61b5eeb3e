/** The table, in the data source itself, that says which steps' writes took effect (Decision §3). */
export const MARKER_TABLE = "_steward_steps";

/** Whether a statement means that table, in whatever schema and whatever case of letters. */
export function isMarkerTable(name: string): boolean {
  return name.toLowerCase().split(".").at(-1) === MARKER_TABLE;
}
