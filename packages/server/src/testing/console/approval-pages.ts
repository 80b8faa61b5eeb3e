import { beforeAll, describe, expect, it } from "vitest";
import { accessibilityProblems } from "./console-page.js";
import { shows, WAIT_MS, type OpenConsole } from "./open-console.js";

const DELETES_ARE_APPROVED = `@id("two-eyes") @reason("Deletions are looked at") @approval("approver")
  forbid (principal, action == Steward::Action::"write_delete", resource)
  unless { context.approved };`;

/** The inbox of approvals. */
export function describeApprovalPages(shared: OpenConsole): void {
  describe("on the page of approvals", () => {
    beforeAll(async () => {
      await putPolicies(DELETES_ARE_APPROVED);
    });

    async function putPolicies(text: string): Promise<void> {
      const { policies } = shared.server.admin;
      const { version } = await policies.getPolicies();
      await policies.putPolicies({ text, version });
    }

    /** A step that waits, as the agent that runs it finds out. */
    async function waiting(order: number): Promise<string> {
      const statement = `DELETE FROM orders WHERE id = -${String(order)}`;
      const { plan_id: planId } = await shared.server.agent.plans.submit({
        steps: [{ id: `delete_${order}`, query_template: statement }],
      });
      await expect(
        shared.server.agent.plans.execute(planId, `delete_${order}`),
      ).rejects.toMatchObject({
        code: "APPROVAL_REQUIRED",
      });
      return planId;
    }

    it("has a person approve and deny with a reason, by keyboard alone", async () => {
      const planId = await waiting(1);
      await using tab = await shared.open("/approvals", "approver");
      const { page, problems } = tab;
      await shows(page, "DELETE FROM orders");
      await expect.poll(() => page.title()).toBe("(1) Approvals · Steward");
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.keyboard.press("a");
      await page.keyboard.type("It is a test order");
      await page.keyboard.press("Enter");
      await shows(page, "It is a test order");
      const { step_result: result } = await shared.server.agent.plans.execute(planId, "delete_1");
      expect(result.status).toBe("completed");

      const denied = await waiting(2);
      await page.goto("/approvals");
      await page.getByRole("heading", { name: "delete_2" }).waitFor({ timeout: WAIT_MS });
      await page.keyboard.press("d");
      await page.keyboard.type("Keep it");
      await page.keyboard.press("Enter");
      await expect.poll(() => page.title()).toBe("Approvals · Steward");
      expect(problems).toEqual([]);
      await expect
        .poll(
          async () =>
            (await shared.server.agent.plans.getPlan({ plan_id: denied })).steps[0]?.status,
        )
        .toBe("failed");
    });

    it("says of a plan in the list and on its page that it waits for an approval", async () => {
      const planId = await waiting(7);
      await using tab = await shared.open(`/plans?q=${planId}`, "admin");
      const { page, problems } = tab;
      await page.getByRole("row").getByText("Waiting for approval").waitFor({ timeout: WAIT_MS });
      await page.goto(`/plans/${planId}`);
      // Once for the plan, and once for its step in the graph.
      await expect.poll(() => page.getByText("Waiting for approval").count()).toBe(2);
      expect(problems).toEqual([]);
      await shared.server.agent.plans.cancelPlan({ plan_id: planId });
    });

    it("has a person widen the rows that a write may change", async () => {
      const planId = await waiting(5);
      await using tab = await shared.open("/approvals", "approver");
      const { page, problems } = tab;
      const rows = page.getByLabel("Rows that it may change at most");
      await shows(page, "0 rows would change");
      await expect.poll(() => rows.inputValue()).toBe("0");
      expect(await accessibilityProblems(page)).toEqual([]);
      await rows.fill("3");
      await page.getByRole("button", { name: "Approve" }).click();
      await page.getByRole("button", { name: "Approve now" }).click();
      const decisions = async () =>
        (await shared.server.agent.approvals.listApprovals({ plan_id: planId })).approvals[0]
          ?.decisions;
      await expect.poll(decisions).toMatchObject([{ decision: "approve", rows_changed_max: 3 }]);
      expect(problems).toEqual([]);
      await shared.server.agent.plans.cancelPlan({ plan_id: planId });
    });

    it("tells who has approved that others still have to, and has them take it back", async () => {
      const both = DELETES_ARE_APPROVED.replace("two-eyes", "four-eyes").replace(
        `"approver"`,
        `"admin"`,
      );
      const text = `${DELETES_ARE_APPROVED}\n${both}`;
      await putPolicies(text);
      const planId = await waiting(6);
      await using tab = await shared.open("/approvals", "approver");
      const { page, problems } = tab;
      await page.getByRole("heading", { name: "delete_6" }).waitFor({ timeout: WAIT_MS });
      await expect.poll(() => page.title()).toBe("(1) Approvals · Steward");
      await page.keyboard.press("a");
      await page.keyboard.press("Enter");
      await shows(page, "Your approval counts: 1 of 2");
      await page.getByText("Waiting, 1 of 2").waitFor({ timeout: WAIT_MS });
      await expect.poll(() => page.title()).toBe("Approvals · Steward");
      expect(await page.getByRole("button", { name: /Approve/ }).count()).toBe(0);
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole("button", { name: "Take back" }).click();
      await page.getByRole("button", { name: "Deny now" }).click();
      await expect
        .poll(
          async () =>
            (await shared.server.agent.approvals.listApprovals({ plan_id: planId })).approvals[0]
              ?.status,
        )
        .toBe("denied");
      expect(problems).toEqual([]);
    });

    it("shows who may read the data each row before and after, and reads it once", async () => {
      const text = DELETES_ARE_APPROVED.replace(`@approval("approver")`, `@approval("admin")`);
      await putPolicies(text);
      const { plan_id: planId } = await shared.server.agent.plans.submit({
        steps: [{ id: "gone", query_template: "DELETE FROM events WHERE id = 1" }],
      });
      await expect(shared.server.agent.plans.execute(planId, "gone")).rejects.toMatchObject({
        code: "APPROVAL_REQUIRED",
      });
      await using tab = await shared.open("/approvals", "admin");
      const { page, problems } = tab;
      await shows(page, "1 row would change");
      let readings = 0;
      page.on("request", (request) => {
        if (/\/api\/approvals\/[^?]+$/.test(request.url())) readings += 1;
      });
      await page.reload();
      await shows(page, "1 row would change");
      await page.getByRole("region", { name: "A row of events" }).getByText("Before").waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      // The list is read again in between; the preview, which runs the write, is not.
      await page.waitForResponse(/\/api\/approvals\?/);
      await page.waitForResponse(/\/api\/approvals\?/);
      expect(readings).toBe(1);
      expect(problems).toEqual([]);
      await shared.server.agent.plans.cancelPlan({ plan_id: planId });
    });

    it("has a person let an approval stand, as long as its policy allows", async () => {
      const text = DELETES_ARE_APPROVED.replace("forbid", '@approval_standing("24h") forbid');
      await putPolicies(text);
      const planId = await waiting(3);
      await using tab = await shared.open("/approvals", "approver");
      const { page, problems } = tab;
      const choice = page.getByLabel("Covers");
      await choice.waitFor({ timeout: WAIT_MS });
      expect(
        await choice
          .locator("option")
          .evaluateAll((all) => all.map((each) => each.getAttribute("value"))),
      ).toEqual([...["0", "3600", "28800", "86400"]]);
      expect(await accessibilityProblems(page)).toEqual([]);
      await choice.selectOption("28800");
      // The first click begins the decision, and only the second one makes it.
      await page.getByRole("button", { name: "Approve" }).click();
      await page.getByRole("button", { name: "Approve now" }).click();
      const approval = async () =>
        (await shared.server.agent.approvals.listApprovals({ plan_id: planId })).approvals[0];
      await expect.poll(async () => (await approval())?.status).toBe("approved");
      expect((await approval())?.standing_until).toBeDefined();
      const { step_result: first } = await shared.server.agent.plans.execute(planId, "delete_3");
      // Nobody is asked about another order.
      const { plan_id: later } = await shared.server.agent.plans.submit({
        steps: [{ id: "later", query_template: "DELETE FROM orders WHERE id = -4" }],
      });
      const { step_result: second } = await shared.server.agent.plans.execute(later, "later");
      expect([first.status, second.status]).toEqual(["completed", "completed"]);
      const [granted] = (await shared.server.agent.approvals.listApprovals({ plan_id: later }))
        .approvals;
      await page.goto(
        new URL(`/approvals?show=all&approval=${granted?.approval_id ?? ""}`, page.url()).href,
      );
      await page.getByRole("link", { name: granted?.granted_by ?? "" }).click();
      await page.getByRole("button", { name: "Revoke", exact: true }).click();
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole("button", { name: "Revoke now" }).click();
      await expect.poll(async () => (await approval())?.revoked_at).toBeDefined();
      await shows(page, "Revoked");
      await page
        .getByRole("button", { name: "Revoke", exact: true })
        .waitFor({ state: "detached", timeout: WAIT_MS });
      expect(problems).toEqual([]);
    });
  });
}
