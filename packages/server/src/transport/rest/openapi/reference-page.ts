import type { ApiDescription } from "./api-document.js";
import { PAGE_HEADERS } from "../system/page.js";
import { referenceHtml } from "./reference-html.js";
import { renderedDescription } from "./rendered-description.js";
import type { RestApp } from "../rest-app.js";

/**
 * Serves `/docs`: the API's description for people, on one page that needs no network. Written from
 * the OpenAPI document here, because the usual pages bring megabytes of script from other hosts or,
 * where they bring it along, need a looser policy to run it.
 */
export function addReferencePage(app: RestApp, version: string): void {
  let page: string | undefined;
  app.get("/docs", { schema: { hide: true } }, async (_request, reply) => {
    // The document is ours, and the page looks only at what we put in.
    page ??= referenceHtml(JSON.parse(await renderedDescription(version)) as ApiDescription);
    return reply.headers(PAGE_HEADERS).send(page);
  });
}
