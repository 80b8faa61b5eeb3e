import { readFile } from "node:fs/promises";
import type { RestApp } from "../rest-app.js";

/**
 * Documents for an LLM that knows only the server's address. By path: the file in this package, and
 * its media type.
 */
const DOCUMENTS = {
  "/llms.txt": { file: "llms.txt", type: "text/plain; charset=utf-8" },
  "/skill.md": { file: "steward/SKILL.md", type: "text/markdown; charset=utf-8" },
} as const;

const directory = new URL("../../../../agents/", import.meta.url);

/** The line of the overview about tokens; without tokens there is no page for its link. */
const ABOUT_TOKENS = /^.*\/\.well-known\/oauth-protected-resource.*\n/m;

/**
 * Serves the overview for LLMs (llmstxt.org) and the skill that teaches agents to work with Steward.
 * @param hasTokens whether the server tells where to get a token.
 */
export function addAgentDocuments(app: RestApp, hasTokens: boolean): void {
  const served = (document: string): string =>
    hasTokens ? document : document.replace(ABOUT_TOKENS, "");
  for (const [path, { file, type }] of Object.entries(DOCUMENTS)) {
    app.get(path, { schema: { hide: true } }, async (_request, reply) =>
      reply
        .header("content-type", type)
        .serializer(String)
        .send(served(await readFile(new URL(file, directory), "utf8"))),
    );
  }
}
