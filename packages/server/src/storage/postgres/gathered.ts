import { setImmediate as nextTurn } from "node:timers/promises";

/** Ids looked up by one statement, at most, unless one asker names more. */
const IDS_MAX = 1000;

/** Looks rows up by their ids; one that is not there is left out. */
export type Lookup<Row> = (ids: readonly string[]) => Promise<ReadonlyMap<string, Row>>;

/** What is asked for until the turn ends. */
interface Batch<Row> {
  readonly ids: Set<string>;
  readonly rows: Promise<ReadonlyMap<string, Row>>;
}

/**
 * A lookup that answers by one statement what is asked for in the same turn: searches that share a pass
 * over the index need their rows together, and asking takes longer than reading a row. Who asks may be
 * told of rows that others have asked for, too.
 */
export function gathered<Row>(lookup: Lookup<Row>): Lookup<Row> {
  let open: Batch<Row> | undefined;

  function begin(): Batch<Row> {
    const ids = new Set<string>();
    const rows = nextTurn().then(() => {
      if (open?.ids === ids) open = undefined;
      return lookup([...ids]);
    });
    return { ids, rows };
  }

  return (ids) => {
    if (open === undefined || open.ids.size + ids.length > IDS_MAX) open = begin();
    for (const id of ids) open.ids.add(id);
    return open.rows;
  };
}
