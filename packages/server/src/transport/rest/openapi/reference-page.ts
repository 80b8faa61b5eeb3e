import type { ApiDescription } from "./api-document.js";
import { PAGE_HEADERS } from "../system/page.js";
import { referenceHtml } from "./reference-html.js";
import { largeDocument, sendDocument, type LargeDocument } from "./large-document.js";
import { renderedDescription } from "./rendered-description.js";
import type { RestApp } from "../rest-app.js";

/**
 * Serves `/docs`: the API's description for people, as one page that needs no network. It is
 * generated here from the OpenAPI document, because the usual pages load megabytes of script from
 * other hosts or, where they include it, need a looser content security policy.
 */
export function addReferencePage(app: RestApp, version: string): void {
  let page: Promise<LargeDocument> | undefined;
  app.get("/docs", { schema: { hide: true } }, async (_request, reply) => {
    // The document is the server's own, and the page uses only known parts of it.
    const text = await renderedDescription(version);
    page ??= largeDocument(referenceHtml(JSON.parse(text) as ApiDescription));
    return sendDocument(reply.headers(PAGE_HEADERS), await page);
  });
}
