import { createHash } from "node:crypto";
import type { ApiDescription } from "./api-document.js";
import { referenceHtml } from "./reference-html.js";
import { REFERENCE_STYLE } from "./reference-style.js";
import type { RestApp } from "./rest-app.js";

/** The page holds no script and loads nothing: its one style sheet is named by its hash. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(REFERENCE_STYLE).digest("base64")}'`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/**
 * Serves `/docs`: the API's description for people, on one page that needs no network. Written from
 * the OpenAPI document here, because the usual pages bring megabytes of script from other hosts or,
 * where they bring it along, need a looser policy to run it.
 */
export function addReferencePage(app: RestApp): void {
  let page: string | undefined;
  app.get("/docs", { schema: { hide: true } }, async (_request, reply) => {
    // The document is ours, and the page looks only at what we put in.
    page ??= referenceHtml(app.swagger() as unknown as ApiDescription);
    return reply
      .headers({ "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY })
      .send(page);
  });
}
