import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { rolldown } from "rolldown";

/** A host of MCP Apps, which is made of the official host library and the official client. */
const HOST = `
  import { AppBridge, getToolUiResourceUri, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
  import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

  export async function callAndShow(name, args, capabilities) {
    const info = { name: "test-host", version: "1.0.0" };
    const client = new Client(info, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp?toolsets=plans", location.href)));
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
    return { mimeType: page.mimeType, planId: JSON.parse(result.content[0].text).plan_id };
  }
`;
const HOST_FILE = fileURLToPath(new URL("plan-app-page.js", import.meta.url));

/** The host as a script for a page. */
export async function bundledHost(): Promise<string> {
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

/**
 * An empty page of the server's own origin, so that the host may call /mcp.
 * @param host what {@link bundledHost} returned.
 */
export async function openHostPage(
  browser: Browser,
  { url, host }: { readonly url: string; readonly host: string },
): Promise<Page> {
  const page = await browser.newPage();
  await page.route(`${url}/host`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Host</title>" }),
  );
  await page.goto(`${url}/host`);
  await page.addScriptTag({ content: host });
  return page;
}

/** Has the host call `submit_plan` and show its app. */
export async function callAndShow(
  page: Page,
  args: object,
  capabilities: object,
): Promise<{ readonly mimeType: string; readonly planId: string }> {
  const parameters = ["submit_plan", args, capabilities].map((each) => JSON.stringify(each));
  return page.evaluate(`testHost.callAndShow(${parameters.join(", ")})`);
}
