import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StatementRequest } from "../../plans/ports.js";
import { failureOf, nextStep, runStatement } from "./run-statement.js";
import { COUNT_USERS, TWO_USERS, type TargetFixture } from "./target-fixture.js";

/** When every data source runs a statement and stops it, and what it knows of a write afterwards. */
export function statementEndBattery(
  engine: string,
  open: (slots?: number) => Promise<TargetFixture>,
): void {
  describe(`the turn and the end of a statement on ${engine}`, () => {
    let fixture: TargetFixture;

    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(async () => {
      await fixture[Symbol.asyncDispose]();
    });

    const run = (sql: string, over?: Partial<StatementRequest>, signal?: AbortSignal) =>
      runStatement(fixture.target, sql, over, signal);
    const append = (line: string, over: Partial<StatementRequest> = {}) =>
      run(`INSERT INTO log VALUES (${fixture.parameter(1)})`, {
        intent: "write_insert",
        binds: [line],
        ...over,
      });

    it("serves another organization while one floods it with statements without end", async () => {
      const stop = new AbortController();
      const patient = { timeoutMs: 120_000, waitMs: 120_000 };
      const flood = Array.from({ length: 12 }, () =>
        failureOf(run(fixture.endlessRead, patient, stop.signal)),
      );
      const served = run(COUNT_USERS, { ...patient, attempt: nextStep("another") });
      expect(await Promise.race([served, ...flood])).toMatchObject(TWO_USERS);
      expect((await failureOf(run(COUNT_USERS, { waitMs: 1 }))).reason).toBe("waited");
      stop.abort();
      for (const { reason } of await Promise.all(flood)) expect(reason).toBe("aborted");
    });

    it.each([
      ["reads", 1, ["many"]],
      ["reads", 3, ["many", "more"]],
      ["writes", 1, ["many"]],
    ] as const)(
      "serves an organization next when others have 200 more %s without end than there are places: %d",
      async (kind, slots, parties) => {
        await using narrow = await open(slots);
        const [sql, intent] =
          kind === "reads"
            ? ([narrow.endlessRead, "read_select"] as const)
            : ([narrow.endlessWrite, "write_insert"] as const);
        const asked = (orgId: string) => ({ waitMs: 120_000, attempt: nextStep(orgId) });
        const stop = new AbortController();
        let ended = 0;
        const flood = Array.from({ length: 200 + slots }, async (_, n) => {
          const over = { ...asked(parties[n % parties.length] ?? ""), intent, timeoutMs: 300 };
          await failureOf(runStatement(narrow.target, sql, over, stop.signal));
          ended += 1;
        });
        const [own, ownIntent] =
          kind === "reads"
            ? ([COUNT_USERS, "read_select"] as const)
            : ([`INSERT INTO log VALUES ('quiet')`, "write_insert"] as const);
        await runStatement(narrow.target, own, { ...asked("quiet"), intent: ownIntent });
        // The only place is given on when its statement has ended. Beside several, statements of others end and start
        // while a process starts for this one: far fewer than the 200 before it in the order of arrival.
        expect(ended).toBeLessThanOrEqual(slots === 1 ? 1 : 50);
        stop.abort();
        await Promise.all(flood);
      },
    );

    it("stops a statement at its deadline while others are answered", async () => {
      await Promise.all([run(COUNT_USERS), append("warm")]);
      const startedAt = performance.now();
      const elapsed = async (failing: Promise<unknown>) => {
        const { reason } = await failureOf(failing);
        return { reason, ms: performance.now() - startedAt };
      };
      const timeoutMs = 600;
      const read = elapsed(run(fixture.endlessRead, { timeoutMs }));
      const write = elapsed(run(fixture.endlessWrite, { timeoutMs, intent: "write_insert" }));
      let answered = 0;
      while (performance.now() - startedAt < timeoutMs - 100) {
        expect(await run(COUNT_USERS)).toMatchObject(TWO_USERS);
        answered += 1;
      }
      expect(answered).toBeGreaterThan(0);
      for (const { reason, ms } of [await read, await write]) {
        expect(reason).toBe("timeout");
        expect(ms).toBeGreaterThanOrEqual(timeoutMs - 10);
      }
      await append("next");
      expect(await fixture.lines()).toEqual(["warm", "next"]);
    });

    it("stops a statement when the signal is aborted", async () => {
      const controller = new AbortController();
      const failures = [
        failureOf(run(fixture.endlessRead, {}, controller.signal)),
        failureOf(run(fixture.endlessWrite, { intent: "write_insert" }, controller.signal)),
      ];
      await sleep(400);
      controller.abort();
      expect((await Promise.all(failures)).map(({ reason }) => reason)).toEqual([
        "aborted",
        "aborted",
      ]);
    });

    it("runs nothing for a signal that was aborted before", async () => {
      expect((await failureOf(run(COUNT_USERS, {}, AbortSignal.abort()))).reason).toBe("aborted");
    });

    describe("asked what became of a write", () => {
      it("knows the result, and gives it again instead of writing twice", async () => {
        const attempt = nextStep();
        const result = await append("first", { attempt });
        expect(await fixture.target.settle(attempt, "")).toEqual(result);
        expect(await append("again", { attempt })).toEqual(result);
        expect(await append("again", { attempt: { ...attempt, attempt: 2 } })).toEqual(result);
        expect(await fixture.lines()).toEqual(["first"]);
      });

      it("knows the types of what the write returned", async () => {
        const attempt = nextStep();
        const sql = "INSERT INTO log VALUES ('x') RETURNING 9007199254740993 AS n";
        const result = await run(sql, { attempt, intent: "write_insert" });
        expect(result.columnTypes).toHaveLength(1);
        expect(await fixture.target.settle(attempt, "")).toEqual(result);
      });

      it("makes sure that one which took no effect never does", async () => {
        const attempt = nextStep();
        expect(await fixture.target.settle(attempt, "")).toBeUndefined();
        expect((await failureOf(append("late", { attempt }))).reason).toBe("rolled_back");
        await append("retried", { attempt: { ...attempt, attempt: 2 } });
        expect(await fixture.target.settle(attempt, "")).toMatchObject({ rowCount: 1 });
        expect(await fixture.lines()).toEqual(["retried"]);
      });

      it("keeps steps and organizations apart", async () => {
        const attempt = nextStep();
        await append("x", { attempt });
        await append("y", { attempt: { ...attempt, orgId: "other" } });
        expect(await fixture.lines()).toEqual(["x", "y"]);
      });

      it("says so when it cannot find out", async () => {
        await fixture.target[Symbol.asyncDispose]();
        expect((await failureOf(fixture.target.settle(nextStep(), ""))).reason).toBe("connection");
      });
    });
  });
}
