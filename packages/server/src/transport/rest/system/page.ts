import { createHash } from "node:crypto";
import { Html, html } from "./html.js";
import { PAGE_STYLE } from "./page-style.js";

/** A page has no script and loads nothing; the policy names its style sheet by its hash. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(PAGE_STYLE).digest("base64")}'`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": POLICY,
};

/** A complete page. */
export function pageOf(title: string, body: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${new Html(`<style>${PAGE_STYLE}</style>`)}
      </head>
      <body>
        ${body}
      </body>
    </html> `.text;
}
