import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { getToolUiResourceUri } from "@modelcontextprotocol/ext-apps/app-bridge";
import { createClient, type StewardClient } from "@steward/client";
import type { Browser, Page } from "playwright-core";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HAS_BROWSER, startBrowser } from "../testing/browser.js";
import { openApp, type App } from "./app.js";

/**
 * The plan app in a browser, in the sandboxed frame of a host that is made of the official host library and the
 * official client.
 */
const HOST = `
  import { AppBridge, getToolUiResourceUri, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
  import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

  export async function callAndShow(name, args, capabilities) {
    const info = { name: "test-host", version: "1.0.0" };
    const client = new Client(info, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", location.href)));
    const { tools } = await client.listTools();
    const uri = getToolUiResourceUri(tools.find((tool) => tool.name === name));
    const { contents: [page] } = await client.readResource({ uri });
    const frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts";
    frame.width = 900;
    frame.height = 600;
    document.body.replaceChildren(frame);
    const bridge = new AppBridge(client, info, capabilities, { hostContext: { theme: "dark" } });
    const ready = new Promise((resolve) => { bridge.oninitialized = resolve; });
    bridge.onsizechange = ({ height }) => { globalThis.reportedHeight = height; };
    await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
    frame.srcdoc = page.text;
    await ready;
    await bridge.sendToolInput({ arguments: args });
    const result = await client.callTool({ name, arguments: args });
    await bridge.sendToolResult(result);
    return { mimeType: page.mimeType, planId: result.structuredContent.plan_id };
  }
`;
const HOST_FILE = fileURLToPath(new URL("plan-app-host.js", import.meta.url));

const directory = mkdtempSync(join(tmpdir(), "steward-plan-app-"));
const EVIL = '<img src=x onerror="alert(1)"></text><script>alert(2)</script>';

let app: App;
let url: string;
let steward: StewardClient;
beforeAll(async () => {
  writeFileSync(join(directory, "empty.db"), "");
  app = await openApp({
    port: 0,
    logLevel: "silent",
    databaseUrl: `sqlite:${join(directory, "steward.db")}`,
    dataSources: [{ name: "empty", url: `sqlite:${join(directory, "empty.db")}` }],
  });
  url = `http://127.0.0.1:${String(app.address.port)}`;
  steward = createClient({ baseUrl: url });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

describe("the plan app of MCP", () => {
  it("is named by the tools that submit and show a plan, which answer with text too", async () => {
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    const { tools } = await client.listTools();
    const named = tools.map((tool) => [tool.name, getToolUiResourceUri(tool)] as const);
    const uri = "ui://steward/plan.html";
    expect(named.filter(([, page]) => page !== undefined)).toEqual([
      ["submit_plan", uri],
      ["get_plan", uri],
    ]);
    const { contents } = await client.readResource({ uri });
    expect(contents).toMatchObject([
      {
        mimeType: "text/html;profile=mcp-app",
        _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] } } },
      },
    ]);
    expect(JSON.stringify(contents)).not.toMatch(/https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
    await client.close();
  });
});

describe.skipIf(!HAS_BROWSER)("the plan app in a host that shows apps", () => {
  let browser: Browser;
  let host: string;
  beforeAll(async () => {
    [browser, host] = await Promise.all([startBrowser(), bundledHost()]);
  });
  afterAll(async () => {
    await browser.close();
  });

  it("draws the plan, follows it to its end, and shows hostile texts as text", async () => {
    const page = await openHostPage(browser, host);
    const args = {
      name: EVIL,
      on_failure: "fail",
      steps: [
        { id: "a", name: EVIL, query_template: "SELECT 1 AS n" },
        { id: "b", query_template: "SELECT * FROM nowhere", depends_on: ["a"] },
      ],
    };
    const capabilities = { serverTools: {} };
    const { mimeType, planId } = await callAndShow(page, args, capabilities);
    expect(mimeType).toBe("text/html;profile=mcp-app");
    const frame = page.frameLocator("iframe");
    const steps = frame.locator("g.step .status");
    await expect.poll(() => steps.allTextContents()).toEqual(["○ pending", "○ pending"]);
    expect(await frame.locator("path.edge").count()).toBe(1);
    expect(await frame.locator("h1").textContent()).toBe(EVIL);

    await steward.plans.execute(planId, "a");
    await expect.poll(() => steps.allTextContents()).toEqual(["✓ completed, 1 row", "○ pending"]);
    await steward.plans.execute(planId, "b");
    await expect.poll(() => steps.allTextContents()).toEqual(["✓ completed, 1 row", "✗ failed"]);
    expect(await frame.locator(".failure").textContent()).toContain("no such table: nowhere");
    expect(await frame.locator("#status").textContent()).toBe("failed: 1 of 2 steps completed");
    expect(await frame.locator("img, script:not(body > script)").count()).toBe(0);
    expect(await page.evaluate("reportedHeight")).toBeGreaterThan(100);
    await page.close();
  });

  it("draws what was submitted where the host lets no app call tools, and can reach no host", async () => {
    const page = await openHostPage(browser, host);
    const args = { name: "Once", steps: [{ id: "a", query_template: "SELECT 1" }] };
    const { planId } = await callAndShow(page, args, {});
    await steward.plans.execute(planId, "a");
    const frame = page.frameLocator("iframe");
    expect(await frame.locator("#status").textContent()).toBe("pending: 0 of 1 steps completed");
    const [, app] = page.frames();
    const reach = `new Promise((resolve) => {
      document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective));
      fetch(${JSON.stringify(url)}).then(() => resolve("reached"), () => undefined);
    })`;
    expect(await app?.evaluate(reach)).toBe("connect-src");
    const inserted = "document.body.innerHTML += '<img src=x onerror=\"window.ran = true\">'; 1";
    await app?.evaluate(inserted);
    expect(await app?.evaluate("window.ran")).toBeUndefined();
    await page.close();
  });
});

async function bundledHost(): Promise<string> {
  const build = await rolldown({
    input: HOST_FILE,
    platform: "browser",
    plugins: [
      {
        name: "host",
        resolveId: (id) => (id === HOST_FILE ? id : undefined),
        load: (id) => (id === HOST_FILE ? HOST : undefined),
      },
    ],
  });
  const { output } = await build.generate({ format: "iife", name: "testHost" });
  await build.close();
  return output[0].code;
}

/** An empty page of the server's own origin, so that the host may call /mcp. */
async function openHostPage(browser: Browser, host: string): Promise<Page> {
  const page = await browser.newPage();
  await page.route(`${url}/host`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Host</title>" }),
  );
  await page.goto(`${url}/host`);
  await page.addScriptTag({ content: host });
  return page;
}

async function callAndShow(
  page: Page,
  args: object,
  capabilities: object,
): Promise<{ readonly mimeType: string; readonly planId: string }> {
  const parameters = ["submit_plan", args, capabilities].map((each) => JSON.stringify(each));
  return page.evaluate(`testHost.callAndShow(${parameters.join(", ")})`);
}
