/** One row in a hundred belongs to the small organization. */
const SMALL_SHARE = 100;

/** The organizations of a run. */
export const LARGE_ORG = "11111111-1111-4111-8111-111111111111";
export const SMALL_ORG = "22222222-2222-4222-8222-222222222222";

/** Whether a row belongs to the small organization. */
export function isSmall(row: number): boolean {
  return row % SMALL_SHARE === 0;
}

/**
 * The id of a row's entry. The order of ids differs from that of creation times, so that ties are
 * decided by both.
 */
export function entryIdOf(row: number): string {
  return `00000000-0000-4000-8000-${row.toString(16).padStart(12, "0")}`;
}

export function rowOfEntry(entryId: string): number {
  return Number.parseInt(entryId.slice(24), 16);
}
