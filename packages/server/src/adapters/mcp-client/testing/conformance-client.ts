import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { discoverOAuthServerInfo, InsufficientScopeError } from "@modelcontextprotocol/client";
import { systemClock } from "@steward/kernel/clock.js";
import type { McpOAuth } from "../../../governance/index.js";
import { McpConnection } from "../mcp-connection.js";
import { AccessRefused, accessTokensFor, GrantFile, signIn } from "../oauth/index.js";

// The official suite starts this program with the address of its server. Like a step, it reads
// the definitions and calls the tools. For a server that requires a token it also acts as an operator,
// who writes `oauth` into the tools file and runs `steward tools login`. The suite's authorization
// server signs everybody in.
const url = process.argv.at(-1) ?? "";
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const signal = AbortSignal.timeout(25_000);
const directory = mkdtempSync(join(tmpdir(), "steward-mcp-grants-"));
const grants = { file: new GrantFile(join(directory, "grants.json")), clock: systemClock };

/** The settings that a scenario passes to its client. */
interface Context {
  /** Calls that the scenario demands; absent: each tool is called once. */
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key_pem?: string;
  readonly issuer?: string;
}

const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Context;

/** Like a step: one connection, and one call of each tool. */
async function run(oauth: McpOAuth | undefined): Promise<void> {
  const endpoint = { url, headers: {}, ...(oauth === undefined ? {} : { oauth }) };
  const access = accessTokensFor({ name: "suite", endpoint }, grants)?.forConnection();
  await using connection = await McpConnection.open({ endpoint, access, signal });
  const definitions = await connection.definitions(signal);
  // One scenario checks the schema of its first tool as the client has read it.
  const some = { a: 5, b: 3, schema: definitions[0]?.inputSchema };
  const calls = context.toolCalls ?? definitions.map(({ name }) => ({ name, arguments: some }));
  for (const { name, arguments: args } of calls) {
    const definition = definitions.find((each) => each.name === name);
    if (definition === undefined) continue;
    await connection
      .call(definition, { ...args }, { signal, timeoutMs: 5000 })
      .catch((error: unknown) => {
        // A tool may fail; the scenario only judges authentication.
        if (error instanceof InsufficientScopeError || error instanceof AccessRefused) throw error;
      });
  }
}

/** Runs `steward tools login`, and acts as the person at the browser. */
async function login(oauth: McpOAuth, scope: string | undefined): Promise<string | undefined> {
  const grant = await signIn({
    ...{ url, oauth, port: 0, clock: systemClock, signal },
    ...(scope === undefined ? {} : { scope }),
    show: (page) => {
      void fetch(page, { redirect: "manual" }).then((answer) =>
        fetch(answer.headers.get("location") ?? ""),
      );
    },
  });
  grants.file.save("suite", grant);
  return grant.scope;
}

/** The entry of the tools file that an operator writes for the scenario. */
async function configured(): Promise<McpOAuth> {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = context;
  const isByItself = scenario.startsWith("auth/client-credentials");
  if (clientId === undefined) {
    const document = "https://conformance-test.local/client-metadata.json";
    const isPublished = scenario === "auth/basic-cimd";
    return { grant: "authorization_code", ...(isPublished ? { clientId: document } : {}) };
  }
  const issuer = context.issuer ?? (await discoverOAuthServerInfo(url)).authorizationServerUrl;
  return {
    grant: isByItself ? "client_credentials" : "authorization_code",
    ...{ issuer, clientId },
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(privateKey === undefined ? {} : { privateKey }),
  };
}

try {
  if (!scenario.startsWith("auth/")) await run(undefined);
  else {
    const oauth = await configured();
    let scope: string | undefined;
    // An operator signs in again when the server demands more scopes, a limited number of times.
    for (let signIns = 0; ; signIns += 1) {
      try {
        await run(oauth);
        break;
      } catch (error) {
        const isInsufficient = error instanceof InsufficientScopeError;
        if (!isInsufficient && !(error instanceof AccessRefused)) throw error;
        if (signIns === 3 || oauth.grant === "client_credentials") throw error;
        const asked = isInsufficient ? error.requiredScope : undefined;
        const all = [...new Set(`${scope ?? ""} ${asked ?? ""}`.trim().split(" "))].join(" ");
        scope = await login(oauth, all === "" ? undefined : all);
      }
    }
  }
} finally {
  rmSync(directory, { recursive: true });
}
