import { setImmediate as nextTurn } from "node:timers/promises";

/** Maximum number of ids in one statement, unless one caller requests more. */
const IDS_MAX = 1000;

/**
 * Looks rows up by their ids; missing rows are left out.
 * @param orgId the organization of the rows; absent: any organization.
 */
export type Lookup<Row> = (
  ids: readonly string[],
  orgId?: string,
) => Promise<ReadonlyMap<string, Row>>;

/** The requests of the current turn of the event loop. */
interface Batch<Row> {
  readonly ids: Set<string>;
  readonly rows: Promise<ReadonlyMap<string, Row>>;
}

/**
 * Combines the lookups of one turn of the event loop into one statement for each organization:
 * searches that share a pass over the index need their rows at the same time, and a round trip
 * takes longer than reading a row. The result of one lookup may contain rows that other callers
 * requested.
 */
export function batchedLookup<Row>(lookup: Lookup<Row>): Lookup<Row> {
  const open = new Map<string | undefined, Batch<Row>>();

  function begin(orgId: string | undefined): Batch<Row> {
    const ids = new Set<string>();
    const rows = nextTurn().then(() => {
      if (open.get(orgId)?.ids === ids) open.delete(orgId);
      return lookup([...ids], orgId);
    });
    return { ids, rows };
  }

  return (ids, orgId) => {
    const former = open.get(orgId);
    const isFull = former === undefined || former.ids.size + ids.length > IDS_MAX;
    const batch = isFull ? begin(orgId) : former;
    open.set(orgId, batch);
    for (const id of ids) batch.ids.add(id);
    return batch.rows;
  };
}
