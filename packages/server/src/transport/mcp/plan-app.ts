import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { ReadResourceResult } from "@modelcontextprotocol/server";

/**
 * The plan as a live picture, for clients that show MCP Apps (revision 2026-01-26). The tools that submit and show a plan
 * name it; other clients ignore the name and show the text.
 */
export const PLAN_APP_URI = "ui://steward/plan.html";

const directory = new URL("../../../agents/plan-app/", import.meta.url);

let page: Promise<string> | undefined;

/**
 * The page that draws a plan. It loads nothing from the network, because the client allows it no
 * host.
 */
export async function readPlanApp(): Promise<ReadResourceResult> {
  const text = await (page ??= assembled());
  const ui = { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true };
  const content = { uri: PLAN_APP_URI, mimeType: "text/html;profile=mcp-app", text, _meta: { ui } };
  return { contents: [content] };
}

/** Puts the style and the script into the page, and allows these two by their hashes and nothing else. */
async function assembled(): Promise<string> {
  const [style, script] = await Promise.all([fileText("plan.css"), fileText("plan.js")]);
  const policy = `default-src 'none'; style-src '${hashOf(style)}'; script-src '${hashOf(script)}'`;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    `<title>Plan</title><style>${style}</style></head><body>`,
    '<h1 id="name">Plan</h1><p id="status" role="status"></p>',
    '<div id="picture"></div><div id="failures"></div><p id="note" role="status"></p>',
    `<script>${script}</script></body></html>`,
  ].join("\n");
}

async function fileText(name: string): Promise<string> {
  return readFile(new URL(name, directory), "utf8");
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
