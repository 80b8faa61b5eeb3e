import type pg from "pg";
import { BLOCKER_COLUMNS, type Blocker, sayBlocker } from "./lock-watch.js";

/** The activity of the session with the migration lock, as text; undefined when unknown. */
export async function activityOf(client: pg.Client, pid: number): Promise<string | undefined> {
  const { rows } = await client.query<Progress>(
    `SELECT phase, CASE WHEN blocks_total > 0 THEN 100 * blocks_done / blocks_total END AS percent
     FROM pg_stat_progress_create_index WHERE pid = $1`,
    [pid],
  );
  const blockers = await client.query<Blocker>(
    `SELECT ${BLOCKER_COLUMNS} FROM unnest(pg_blocking_pids($1)) p JOIN pg_stat_activity a ON a.pid = p`,
    [pid],
  );
  const [progress] = rows;
  const said = [
    ...(progress === undefined ? [] : [`making an index: ${sayProgress(progress)}`]),
    ...(blockers.rows.length === 0
      ? []
      : [`waiting for ${blockers.rows.map(sayBlocker).join("; ")}`]),
  ];
  return said.length === 0 ? undefined : said.join(", ");
}

interface Progress {
  readonly phase: string;
  readonly percent: string | null;
}

function sayProgress({ phase, percent }: Progress): string {
  return percent === null ? phase : `${phase} (${percent} %)`;
}
