import { setTimeout as delay } from "node:timers/promises";
import { silentLog } from "@steward/kernel/log.js";
import { freshDatabase } from "@steward/test-postgres";
import { it } from "vitest";
import { Database } from "./database.js";
import { Signals } from "./signals.js";

// A close that hangs fails by the time limit of the test.
it("signals are closed at any moment of their opening", async () => {
  await using database = await freshDatabase();
  await using db = new Database(database.url);
  await db.query("SELECT 1");
  for (let pauseMs = 0; pauseMs < 20; pauseMs += 1) {
    await using _signals = new Signals(db, { nodeId: "a", others: [] }, silentLog);
    await delay(pauseMs);
  }
});
