import { dataOf, serviceIndexSchema, type ServiceIndex } from "@steward/protocol/rest";
import * as z from "zod";
import { sendIndex, wantsPage } from "../../console/console-routes.js";
import { json } from "../described-replies.js";
import { html } from "./html.js";
import { PAGE_HEADERS, pageOf } from "./page.js";
import type { RestApp } from "../rest-app.js";
import type { RestOptions } from "../server.js";

const DOCS_LINKS = { docs: "/docs", openapi: "/openapi.json", agents: "/llms.txt" } as const;

/** Links to the documents beside the operations. */
const LINKS = {
  health: "/healthz",
  readiness: "/readyz",
  metrics: "/metrics",
} as const;

/**
 * Serves `/`, the entry point for a client that knows only the address: the console for browsers,
 * or a page of links where there is no console; JSON for others.
 */
export function addIndexRoute(
  app: RestApp,
  { version, docs, console: files }: Pick<RestOptions, "version" | "docs" | "console">,
): void {
  const links = { ...(docs ? DOCS_LINKS : {}), ...LINKS };
  const index: ServiceIndex = { name: "Steward", version, links };
  const page = indexPage(index, files === "not built");
  const { content, description } = json("What there is", dataOf(serviceIndexSchema));
  app.get(
    "/",
    {
      schema: {
        operationId: "getIndex",
        summary: "Describe this server and link its documents",
        description: "A page for clients that accept text/html, such as browsers; JSON for others.",
        tags: ["Service"],
        response: {
          200: { description, content: { ...content, "text/html": { schema: z.string() } } },
        },
      },
    },
    async (request, reply) => {
      void reply.header("vary", "accept");
      if (!wantsPage(request)) return reply.send({ data: index });
      if (files !== undefined && files !== "not built") return sendIndex(reply, files);
      return reply.headers(PAGE_HEADERS).send(page);
    },
  );
}

const NOT_BUILT =
  "The console is not built. Run npm run build where this server's source is, and start the server again.";

function indexPage({ name, version, links }: ServiceIndex, isNotBuilt: boolean): string {
  const items = Object.entries(links).map(
    ([what, path]) => html`<li><a href="${path.slice(1)}">${path}</a> ${what}</li>`,
  );
  return pageOf(
    name,
    html`
      <h1>${name} <small>${version}</small></h1>
      ${isNotBuilt ? html`<p>${NOT_BUILT}</p>` : ""}
      <nav>
        <ul>
          ${items}
        </ul>
      </nav>
    `,
  );
}
