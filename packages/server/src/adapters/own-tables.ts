/** What the names of our own tables in a data source begin with; nobody else's may. */
const PREFIX = "_steward_";

/** The table that says which steps' writes took effect (Decision §3). */
export const MARKER_TABLE = "_steward_steps";
/** The table that says how far an unfinished migration has come (Decision §15). */
export const JOURNAL_TABLE = "_steward_migrations";

/** Whether a statement means a table of ours, in whatever schema and whatever case of letters. */
export function isOwnTable(name: string): boolean {
  return name.toLowerCase().split(".").at(-1)?.startsWith(PREFIX) === true;
}
