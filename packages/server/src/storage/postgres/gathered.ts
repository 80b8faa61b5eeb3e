import { setImmediate as nextTurn } from "node:timers/promises";

/** Ids looked up by one statement, at most, unless one asker names more. */
const IDS_MAX = 1000;

/**
 * Looks rows up by their ids; one that is not there is left out.
 * @param orgId whose rows they are; absent: of any organization.
 */
export type Lookup<Row> = (
  ids: readonly string[],
  orgId?: string,
) => Promise<ReadonlyMap<string, Row>>;

/** What is asked for until the turn ends. */
interface Batch<Row> {
  readonly ids: Set<string>;
  readonly rows: Promise<ReadonlyMap<string, Row>>;
}

/**
 * Combines the lookups of one turn of the event loop into one statement for each organization: searches that
 * share a pass over the index need their rows at the same time, and a round trip takes longer than reading a
 * row. The answer to one lookup may hold rows that others have asked for.
 */
export function gathered<Row>(lookup: Lookup<Row>): Lookup<Row> {
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
