import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { SampleServer } from "./sample-server.js";

/** How a page is looked at. */
interface Look {
  readonly theme: "light" | "dark";
  /** In pixels. */
  readonly width: number;
}

/** Of a desktop's screen, in pixels. */
const WIDTH = 1280;
const HEIGHT = 800;

/**
 * Looks at a page are in turn one of two, which have each theme and each width once, or all four,
 * which are the long run's. Axe takes most of the time, so there it checks only what the look may
 * change.
 */
export type Looks = "in turn" | "all";
type CheckedLook = Look & { readonly axe: AxeRules };
const IN_TURN: readonly CheckedLook[] = [
  { theme: "light", width: WIDTH, axe: "all" },
  { theme: "dark", width: 360, axe: "all" },
];
const ALL: readonly CheckedLook[] = [
  { theme: "light", width: WIDTH, axe: "all" },
  { theme: "dark", width: WIDTH, axe: "colours" },
  { theme: "dark", width: 360, axe: "colours" },
  { theme: "light", width: 360, axe: "all but colours" },
];

/** The looks at the page with this number, of those that a run looks at. */
export function looksAt(number: number, looks: Looks): readonly CheckedLook[] {
  return looks === "all" ? ALL : IN_TURN.filter((_, index) => index === number % IN_TURN.length);
}

/** A browser's page of the console, and everything that went wrong on it. */
export interface ConsolePage extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, of the console, and of the content security policy; requests to other hosts. */
  readonly problems: readonly string[];
}

/** Has a page save data, so that it loads no script that it does not need. */
export const SAVES_DATA =
  'Object.defineProperty(navigator.connection, "saveData", { value: true })';

/** Opens a page of nobody in particular, in a browser profile of its own. */
export async function openPage(
  browser: Browser,
  { url }: Pick<SampleServer, "url">,
  look?: Look,
): Promise<ConsolePage> {
  const context = await openContext(browser, url, look);
  const opened = await pageIn(context, url);
  return { ...opened, [Symbol.asyncDispose]: () => context.close() };
}

/** Opens a page of somebody who has signed in with an API key, in a browser profile of its own. */
export async function signedIn(
  browser: Browser,
  server: Pick<SampleServer, "url" | "keys">,
  look?: Look,
): Promise<ConsolePage> {
  const opened = await openPage(browser, server, look);
  await signIn(opened.context, server.url, server.keys.admin);
  return opened;
}

/** A browser profile of somebody who has signed in with this API key. */
export async function signedInContext(
  browser: Browser,
  { url }: Pick<SampleServer, "url">,
  key: string,
): Promise<BrowserContext> {
  const context = await openContext(browser, url);
  await signIn(context, url, key);
  return context;
}

/** Opens a page in a browser profile that pages share, and with it the files that they have loaded. */
export async function pageIn(context: BrowserContext, url: string): Promise<ConsolePage> {
  const page = await context.newPage();
  const problems = watched(page, url);
  return { page, context, problems, [Symbol.asyncDispose]: () => page.close() };
}

function openContext(
  browser: Browser,
  url: string,
  { theme, width }: Look = { theme: "light", width: WIDTH },
): Promise<BrowserContext> {
  return browser.newContext({
    ...{ baseURL: url, colorScheme: theme, viewport: { width, height: HEIGHT } },
    ...{ locale: "en-GB", timezoneId: "UTC", reducedMotion: "reduce" },
  });
}

/** The browser's own sign-in, without its page, which has a test of its own. */
async function signIn(context: BrowserContext, url: string, key: string): Promise<void> {
  const response = await context.request.post("/api/session", {
    data: { api_key: key },
    headers: { origin: url, "x-steward-console": "1" },
  });
  if (!response.ok()) throw new Error(`the sign-in failed: ${await response.text()}`);
}

/**
 * Looks at a page as it is, without loading it again.
 * @param part a CSS selector: what is looked at in each look but the first. The rest, such as the
 * navigation, is the same on many pages.
 * @returns what axe finds, and whether the page is wider than the screen.
 */
export async function problemsInEachLook(
  page: Page,
  looks: readonly CheckedLook[],
  part = "main",
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [index, { theme, width, axe }] of looks.entries()) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: HEIGHT });
    await page.locator(`html[data-theme=${theme}]`).waitFor();
    await page.evaluate(COLOURS_SETTLED);
    const problems = await accessibilityProblems(page, index === 0 ? "html" : part, axe);
    const overflow = await page.evaluate<number>(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    if (overflow > 0) problems.push(`the page is ${String(overflow)} pixels too wide`);
    found.push(...problems.map((problem) => `${theme}, ${String(width)}: ${problem}`));
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: WIDTH, height: HEIGHT });
  return found;
}

/** A colour that is inherited changes a frame later at each level, even by a transition of 0.01 ms. */
const COLOURS_SETTLED = `(async () => {
  while (document.getAnimations().some((each) => each instanceof CSSTransition))
    await new Promise(requestAnimationFrame);
})()`;

/** The rules of axe: all; those about colours, on which alone the theme has an effect; the others. */
type AxeRules = "all" | "colours" | "all but colours";

const AXE_OPTIONS: Readonly<Record<AxeRules, string>> = {
  all: "{}",
  colours: "{ runOnly: ['color-contrast', 'link-in-text-block'] }",
  "all but colours": "{ rules: { 'color-contrast': { enabled: false } } }",
};

/** What axe finds on a page or in a part of it, of any impact; each with the elements that it concerns. */
export async function accessibilityProblems(
  page: Page,
  part = "html",
  rules: AxeRules = "all",
): Promise<string[]> {
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(AXE);
  const found = await page.evaluate<readonly AxeViolation[]>(
    `axe.run(${JSON.stringify(part)}, { resultTypes: ["violations"], ...${AXE_OPTIONS[rules]} })
      .then(({ violations }) => violations)`,
  );
  return found.map(
    ({ id, impact, nodes }) =>
      `${id} (${impact}): ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`,
  );
}

interface AxeViolation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** The script has no types of its own that a browser's page could import. */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Collects what goes wrong on a page from now on. */
function watched(page: Page, url: string): readonly string[] {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("console", (message) => {
    const isBad = message.type() === "error" || message.type() === "warning";
    // A violation of the content security policy is an error of the console too.
    if (isBad) problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on("request", (request) => {
    const target = request.url();
    const isOwn = target.startsWith(`${url}/`) || /^(data|blob):/.test(target);
    if (!isOwn) problems.push(`request to another host: ${target}`);
  });
  return problems;
}
