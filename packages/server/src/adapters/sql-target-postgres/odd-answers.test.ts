import { describe, expect, it } from "vitest";
import { StatementError } from "../../plans/ports.js";
import { runStatement } from "../testing/run-statement.js";
import { PostgresTarget } from "./postgres-target.js";
import { oddMessages, OddPostgresServer } from "./testing/odd-server.js";
import { shopOptions } from "./testing/shop.js";

describe("a PostgreSQL server that answers oddly", () => {
  // A TCP server speaks the protocol wrongly, in the greeting or in the first answer. What the driver
  // throws in its socket's event would fail the whole run here, and end the process elsewhere.
  it("fails the step, each of 200 times, and never ends the process", async () => {
    await using server = await OddPostgresServer.start();
    await using target = new PostgresTarget(await shopOptions({ url: server.url }));
    for (const [index, odd] of oddMessages(4).entries()) {
      server.odd = odd;
      const error: unknown = await runStatement(target, "SELECT 1").then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      const seen = `${String(index)}: ${odd.at} ${odd.bytes.toString("hex")} ${String(error)}`;
      expect(error, seen).toBeInstanceOf(StatementError);
    }
  });
});
