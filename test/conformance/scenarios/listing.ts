import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { expectRefusal, rowsOf } from "../expectations.js";
import { scenario, step, type Scenario } from "../scenario.js";

const plan = (name: string, session_id = "") => ({
  name,
  session_id,
  steps: [step("a", "SELECT 1")],
});

/** Lists of plans and their isolation by organization. */
export const listing: readonly Scenario[] = [
  scenario(["D9-list"], "plans are listed newest first, page by page", async ({ client }) => {
    for (const name of ["1", "2", "3", "4", "5"]) await client.submit(plan(name));
    const names: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await client.list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      names.push(page.plans.map(({ name }) => name));
      cursor = page.next_cursor === "" ? undefined : page.next_cursor;
    } while (cursor !== undefined);
    expect(names).toEqual([["5", "4"], ["3", "2"], ["1"]]);
  }),
  scenario(["D9-list"], "plans are listed by status and session", async ({ client }) => {
    const { plan_id } = await client.submit(plan("done", "s1"));
    await rowsOf(client, plan_id, "a");
    await client.submit(plan("open", "s1"));
    await client.submit(plan("other", "s2"));
    const names = async (query: { status?: string; session_id?: string }) =>
      (await client.list(query)).plans.map(({ name }) => name);
    expect(await names({ session_id: "s1" })).toEqual(["open", "done"]);
    expect(await names({ status: "completed" })).toEqual(["done"]);
    expect(await names({ status: "pending", session_id: "s2" })).toEqual(["other"]);
  }),
  scenario(["D9-list", "D9-malformed"], "a list that cannot be is refused", async ({ client }) => {
    for (const query of [{ status: "asleep" }, { limit: 201 }, { limit: -1 }, { cursor: "?" }]) {
      const { details } = await expectRefusal(client.wire, client.list(query), {
        code: "INVALID_ARGUMENT",
        grpc: "INVALID_ARGUMENT",
        rest: 400,
      });
      expect(details.map(({ field }) => field)).toEqual(Object.keys(query));
    }
  }),
  scenario(["D2-not-found"], "another organization's plan does not exist", async ({ client }) => {
    const { plan_id } = await client.submit(plan("mine"));
    const stranger = client.as({ "x-org-id": randomUUID() });
    const notFound = { code: "PLAN_NOT_FOUND", grpc: "NOT_FOUND", rest: 404 };
    await expectRefusal(client.wire, stranger.getPlan(plan_id), notFound);
    await expectRefusal(client.wire, stranger.cancel(plan_id), notFound);
    await expectRefusal(client.wire, stranger.retry(plan_id), notFound);
    await expectRefusal(client.wire, stranger.events(plan_id).next(), notFound);
    expect(await stranger.execute(plan_id, "a")).toMatchObject({ error_code: "PLAN_NOT_FOUND" });
    expect((await stranger.list({})).plans).toEqual([]);
    expect((await client.getPlan(plan_id)).status).toBe("pending");
  }),
  scenario(
    ["D2-nil-org"],
    "who names no organization belongs to the nil one",
    async ({ client, steward }) => {
      const nobody = steward.client(client.wire, {});
      const { plan_id } = await nobody.submit(plan("of nobody"));
      const nil = client.as({ "x-org-id": "00000000-0000-0000-0000-000000000000" });
      expect(await nil.getPlan(plan_id)).toMatchObject({ name: "of nobody" });
    },
  ),
  scenario(["D2-uuid"], "an organization that is no UUID is refused", async ({ client }) => {
    await expectRefusal(client.wire, client.as({ "x-org-id": "acme" }).submit(plan("x")), {
      code: "INVALID_ARGUMENT",
      grpc: "INVALID_ARGUMENT",
      rest: 400,
      field: "x-org-id",
    });
  }),
];
