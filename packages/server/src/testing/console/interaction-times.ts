import type { Page } from "playwright-core";
import { startBrowser } from "../browser.js";
import { signedIn } from "./console-page.js";
import { openSampleServer, type SampleServer } from "./sample-server.js";

/**
 * Measures the page of a plan with 500 steps and 20 000 events: `npm run interactions`. For each interaction
 * it prints the time to the next paint, by the browser's Event Timing API, and the processor time of the
 * page's thread, on which other programs have little effect; then how evenly the events scroll. The steps are
 * those of a real plan; its events are made of those of a small plan that has run, and reach the browser in
 * place of the server's.
 */
const STEPS = 500;
const EVENTS = 20_000;
/** The goal, in ms. */
const PAINT_MS_MAX = 100;
const GRAPH = "show the graph";
/** Time for a page to come to rest after an interaction, in ms. */
const REST_MS = 400;
/** Frames of the scrolling that is measured, and how far each goes, in pixels: about 12 rows. */
const FRAMES = 240;
const FRAME_PIXELS = 400;
/** A frame of a screen with 60 frames a second, with a tenth more for the clock's error, in ms. */
const FRAME_MS_MAX = (1000 / 60) * 1.1;

await using server = await openSampleServer();
const browser = await startBrowser();
const planId = await manySteps(server);
const stream = await manyEvents(server, planId);
await using opened = await signedIn(browser, server);
const { page } = opened;
let isSent = false;
await page.route(`**/api/plans/${planId}/events`, async (route) => {
  if (isSent) return route.fulfill({ status: 204 });
  isSent = true;
  return route.fulfill({ contentType: "text/event-stream", body: stream });
});
await page.addInitScript(`
  window.interactions = [];
  new PerformanceObserver((list) => {
    for (const { name, duration, interactionId } of list.getEntries())
      if (interactionId > 0) window.interactions.push({ name, duration });
  }).observe({ type: "event", durationThreshold: 16, buffered: true });
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
  }).observe({ type: "longtask", buffered: true });
`);
const devtools = await opened.context.newCDPSession(page);
await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
await page.goto(`/plans/${planId}?view=events`);
await page.getByRole("region", { name: "Events" }).getByText("PlanStep").first().waitFor();
await page.waitForTimeout(5 * REST_MS);
say("load", `longest task ${String(await page.evaluate("window.longest"))} ms`);

const worst = await measured(page, [
  ["show the table", () => page.keyboard.press("t")],
  ["show the waterfall", () => page.keyboard.press("w")],
  ["show the events", () => page.keyboard.press("e")],
  ["scroll the events to their end", () => page.keyboard.press("End")],
  [GRAPH, () => page.keyboard.press("g")],
  ["show the table again", () => page.keyboard.press("t")],
  ["open a step", () => page.getByText("s3", { exact: true }).first().click()],
  ["close it", () => page.keyboard.press("Escape")],
]);
await page.keyboard.press("e");
await page.getByRole("region", { name: "Events" }).waitFor();
await page.waitForTimeout(REST_MS);
say("scroll the events", await scrolled(page));
await browser.close();
if (worst > PAINT_MS_MAX) process.exitCode = 1;

function say(name: string, figures: string): void {
  process.stdout.write(`${name}: ${figures}\n`);
}

/** Processor time that the page's thread has used, in ms. */
async function threadMs(): Promise<number> {
  const { metrics } = await devtools.send("Performance.getMetrics");
  return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0);
}

/** Does each interaction, and prints how long its next paint took. @returns the longest, in ms. */
async function measured(
  on: Page,
  interactions: readonly (readonly [string, () => Promise<void>])[],
): Promise<number> {
  let longest = 0;
  for (const [name, interact] of interactions) {
    await on.evaluate("window.interactions.length = 0; window.longest = 0");
    const before = await threadMs();
    await interact();
    await on.waitForTimeout(REST_MS);
    // A graph is laid out after its script has arrived.
    if (name === GRAPH) await on.locator(".react-flow__node").first().waitFor();
    const usedMs = (await threadMs()) - before;
    const entries = await on.evaluate<readonly { duration: number }[]>("window.interactions");
    const longestTask = await on.evaluate<number>("window.longest");
    // What is shorter than the observer's threshold has no entry.
    const paintMs = Math.max(0, ...entries.map(({ duration }) => duration));
    const paint = paintMs === 0 ? "less than 16" : String(paintMs);
    const task = longestTask === 0 ? "less than 50" : String(longestTask);
    say(name, `${paint} ms, processor ${usedMs.toFixed(0)} ms, longest task ${task} ms`);
    longest = Math.max(longest, paintMs);
  }
  return longest;
}

/** Scrolls the events by several rows in each frame. @returns how long the frames took. */
async function scrolled(on: Page): Promise<string> {
  const before = await threadMs();
  const frames = await on.evaluate<readonly number[]>(`new Promise((resolve) => {
    const list = document.querySelector("[role=region][aria-label=Events]");
    const frames = [];
    let last;
    const frame = (now) => {
      if (last !== undefined) frames.push(now - last);
      last = now;
      list.scrollTop += ${String(FRAME_PIXELS)};
      if (frames.length < ${String(FRAMES)}) requestAnimationFrame(frame);
      else resolve(frames);
    };
    requestAnimationFrame(frame);
  })`);
  const usedMs = (await threadMs()) - before;
  const late = frames.filter((ms) => ms > FRAME_MS_MAX).length;
  const perSecond = (1000 * frames.length) / frames.reduce((sum, ms) => sum + ms, 0);
  return [
    `${perSecond.toFixed(1)} frames a second`,
    `${String(late)} of ${String(frames.length)} late`,
    `longest ${Math.max(...frames).toFixed(0)} ms`,
    `processor ${(usedMs / frames.length).toFixed(1)} ms a frame`,
  ].join(", ");
}

/** A plan whose steps each wait for an earlier one. */
async function manySteps({ agent }: SampleServer): Promise<string> {
  const steps = Array.from({ length: STEPS }, (_, index) => ({
    ...{ id: `s${String(index)}`, query_template: `SELECT ${String(index)} AS n` },
    ...(index < 10 ? {} : { depends_on: [`s${String(index - 10)}`] }),
  }));
  return (await agent.plans.submit({ name: "Five hundred steps", steps })).plan_id;
}

/** Events as the server sends them, made of those of a step that has run. */
async function manyEvents({ agent }: SampleServer, id: string): Promise<string> {
  const small = await agent.plans.submit({
    steps: ["x_step", "y_step"].map((each) => ({ id: each, query_template: "SELECT 1 AS n" })),
  });
  await agent.plans.execute(small.plan_id, "x_step");
  await agent.plans.cancelPlan({ plan_id: small.plan_id });
  const texts: string[] = [];
  for await (const event of agent.plans.watch(small.plan_id)) {
    const text = JSON.stringify(event);
    if (text.includes("x_step") && text.includes("PlanStep")) texts.push(text);
  }
  return Array.from({ length: EVENTS }, (_, index) => {
    const step = `s${String(Math.floor(index / texts.length) % STEPS)}`;
    const text = (texts[index % texts.length] ?? "")
      .replaceAll(small.plan_id, id)
      .replaceAll("x_step", step)
      .replace(/"sequence":\d+/, `"sequence":${String(index + 2)}`);
    return `id: ${String(index + 2)}\ndata: ${text}\n\n`;
  }).join("");
}
