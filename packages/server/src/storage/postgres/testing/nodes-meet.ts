import type { TestDatabase } from "@steward/test-postgres";
import { expect } from "vitest";

/** Waits until each node of the store has sent a heartbeat, from which on it knows the others. */
export async function nodesMeet(database: TestDatabase): Promise<void> {
  const beats = async () =>
    new Map(
      (await database.query("SELECT node_id, lease_until_ms FROM nodes")).map((row) => [
        row["node_id"],
        row["lease_until_ms"],
      ]),
    );
  const before = await beats();
  await expect
    .poll(async () => [...(await beats())].filter(([id, until]) => before.get(id) === until))
    .toEqual([]);
}
