import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { startBrowser } from "../browser.js";
import {
  looksAt,
  pageIn,
  problemsInEachLook,
  signedInContext,
  type ConsolePage,
  type Looks,
} from "./console-page.js";
import { openSampleServer, type SampleServer } from "./sample-server.js";

/** How long a change may take to show on a busy machine, in ms. */
export const WAIT_MS = 60_000;

/** One browser and one server, which the tests of all pages share; both are there when a test runs. */
export interface OpenConsole {
  readonly browser: Browser;
  readonly server: SampleServer;
  /** A page of somebody with this role. All pages of one role share a session and the loaded files. */
  open(path: string, role: Role): Promise<ConsolePage>;
  /** The same as the function, in the looks of this run. Two calls in a row have different looks. */
  problemsInEachLook(page: Page, part?: string): Promise<readonly string[]>;
}

type Role = "admin" | "operator" | "approver" | "auditor";

/** Opens both before the tests of this file, and closes them afterwards. */
export function openConsole(looks: Looks): OpenConsole {
  let opened: readonly [Browser, SampleServer] | undefined;
  beforeAll(async () => {
    opened = await Promise.all([startBrowser(), openSampleServer()]);
  }, 120_000);
  afterAll(async () => {
    await opened?.[0].close();
    await opened?.[1][Symbol.asyncDispose]();
  });
  const contexts = new Map<Role, Promise<BrowserContext>>();
  let lookedAt = 0;
  const both = () => {
    if (opened === undefined) throw new Error("the console is opened before the first test");
    return opened;
  };
  return {
    get browser() {
      return both()[0];
    },
    get server() {
      return both()[1];
    },
    open: async (path, role) => {
      const [browser, server] = both();
      const context = contexts.get(role) ?? signedInContext(browser, server, server.keys[role]);
      contexts.set(role, context);
      const opened = await pageIn(await context, server.url);
      await opened.page.goto(path);
      return opened;
    },
    problemsInEachLook: (page, part) => problemsInEachLook(page, looksAt(lookedAt++, looks), part),
  };
}

/** Waits until a page shows a text. */
export function shows(page: Page, text: string): Promise<void> {
  return page.getByText(text).first().waitFor({ timeout: WAIT_MS });
}
