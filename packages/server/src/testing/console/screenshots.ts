import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { startBrowser } from "../browser.js";
import { pageIn, signedInContext } from "./console-page.js";
import { openSampleServer } from "./sample-server.js";
import { SHOTS, type Shot } from "./shots.js";

/** Writes docs/screenshots from the sample data: `npm run screenshots`. */
const DIRECTORY = fileURLToPath(new URL("../../../../../docs/screenshots/", import.meta.url));
/** Time for a diagram to be drawn, in ms. */
const DRAWN_MS = 1000;
/** Of a lossy picture: text stays sharp, and a page has about a third of its size as PNG. */
const QUALITY = 75;
const NEW_PLAN = `-- step late: Late deliveries
SELECT id, customer_id FROM orders WHERE status = 'open' LIMIT 10
-- step who: Who waits
SELECT name, city FROM customers WHERE id = {{step.late.output[0].customer_id}}`;

mkdirSync(DIRECTORY, { recursive: true });
for (const file of readdirSync(DIRECTORY)) rmSync(join(DIRECTORY, file));
await using server = await openSampleServer();
await waitingApproval();
const browser = await startBrowser();
for (const shot of SHOTS) await take(shot);
await browser.close();

async function take({ name, theme, role = "admin", path, text, tab }: Shot): Promise<void> {
  const context = await signedInContext(browser, server, server.keys[role]);
  const { page } = await pageIn(context, server.url);
  await page.emulateMedia({ colorScheme: theme });
  await page.goto(await addressOf(path));
  if (name === "new-plan") await write(page, NEW_PLAN);
  if (name === "migrations")
    await page
      .getByRole("button", { name: /^Show / })
      .first()
      .click();
  await page.getByText(text).first().waitFor();
  if (tab !== undefined) await page.getByRole("tab", { name: tab }).click();
  await page.waitForTimeout(DRAWN_MS);
  const devtools = await context.newCDPSession(page);
  const { data } = await devtools.send("Page.captureScreenshot", {
    ...{ format: "webp", quality: QUALITY },
  });
  writeFileSync(join(DIRECTORY, `${name}.webp`), Buffer.from(data, "base64"));
  await context.close();
}

/** The address with the id of the plan that it names. */
async function addressOf(path: string): Promise<string> {
  const [whole, name] = /\{(.*)\}/.exec(path) ?? [];
  if (whole === undefined) return path;
  const { plans } = await server.agent.plans.listPlans();
  return path.replace(whole, plans.find((plan) => plan.name === name)?.plan_id ?? "");
}

async function write(page: Page, script: string): Promise<void> {
  await page.getByLabel("Name of the plan").fill("Who waits for a delivery");
  await page.getByLabel("Statements of the plan").click();
  await page.keyboard.insertText(script);
}

/** A step that waits for a person. */
async function waitingApproval(): Promise<void> {
  const text = `@id("two-eyes") @reason("Deletions are looked at") @approval("approver")
    forbid (principal, action == Steward::Action::"write_delete", resource)
    unless { context.approved };`;
  await server.admin.policies.putPolicies({ text, version: 0 });
  const { plan_id: planId } = await server.agent.plans.submit({
    ...{ name: "Remove cancelled orders", session_id: "stock-keeping" },
    steps: [{ id: "remove", query_template: "DELETE FROM orders WHERE status = 'cancelled'" }],
  });
  // It is refused until somebody has approved it.
  await server.agent.plans.execute(planId, "remove").catch(() => undefined);
}
