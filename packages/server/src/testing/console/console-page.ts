import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { SampleServer } from "./sample-server.js";

/** How a page is looked at. */
export interface Look {
  readonly theme: "light" | "dark";
  /** In pixels. */
  readonly width: number;
}

/** A desktop and a phone, in both themes. */
export const LOOKS: readonly Look[] = [
  { theme: "light", width: 1280 },
  { theme: "dark", width: 1280 },
  { theme: "light", width: 360 },
  { theme: "dark", width: 360 },
];

const HEIGHT = 800;

/** A browser's page of the console, and everything that went wrong on it. */
export interface ConsolePage extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, of the console, and of the content security policy; requests to other hosts. */
  readonly problems: readonly string[];
}

/** Opens a page of nobody in particular. */
export async function openPage(
  browser: Browser,
  { url }: Pick<SampleServer, "url">,
  { theme, width }: Look = { theme: "light", width: 1280 },
): Promise<ConsolePage> {
  const context = await browser.newContext({
    ...{ baseURL: url, colorScheme: theme, viewport: { width, height: HEIGHT } },
    ...{ locale: "en-GB", timezoneId: "UTC", reducedMotion: "reduce" },
  });
  const page = await context.newPage();
  return {
    ...{ page, context, problems: watched(page, url) },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** Opens a page of somebody who has signed in with an API key. */
export async function signedIn(
  browser: Browser,
  server: Pick<SampleServer, "url" | "keys">,
  options: { readonly look?: Look; readonly key?: string; readonly path?: string } = {},
): Promise<ConsolePage> {
  const { look, key = server.keys.admin, path = "/plans" } = options;
  const opened = await openPage(browser, server, look);
  // The browser's own sign-in, without its page, which has a test of its own.
  const { ok, text } = await opened.context.request
    .post("/api/session", {
      data: { api_key: key },
      headers: { origin: server.url, "x-steward-console": "1" },
    })
    .then(async (response) => ({ ok: response.ok(), text: await response.text() }));
  if (!ok) throw new Error(`the sign-in failed: ${text}`);
  await opened.page.goto(path);
  return opened;
}

/** What axe finds on a page, of any impact; each with the elements that it concerns. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate<readonly AxeViolation[]>(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
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
