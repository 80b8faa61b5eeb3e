import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { discoverOAuthServerInfo, InsufficientScopeError } from "@modelcontextprotocol/client";
import { systemClock } from "@steward/kernel/clock.js";
import type { McpOAuth } from "../../../governance/index.js";
import { McpConnection } from "../mcp-connection.js";
import { AccessRefused, accessTokensFor, GrantFile, signIn } from "../oauth/index.js";

/** How often an operator who is asked for more signs in again. */
const SIGN_INS_MAX = 3;
/** Time limit of a scenario, in ms. */
const SCENARIO_MS_MAX = 100_000;

/** What the official suite asks of a client, in the form in which it passes it. */
export interface ScenarioRequest {
  readonly scenario: string;
  /** The suite's MCP server. */
  readonly url: string;
  readonly context: ScenarioContext;
}

/** The settings that a scenario passes to its client. */
export interface ScenarioContext {
  /** Calls that the scenario demands; absent: each tool is called once. */
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key_pem?: string;
  readonly issuer?: string;
}

/**
 * Like a step, reads the definitions and calls the tools. For a server that requires a token it also
 * acts as an operator, who writes `oauth` into the tools file and runs `steward tools login`. The
 * suite's authorization server signs everybody in.
 * @throws when the client gives up, which some scenarios expect of it.
 */
export async function actAsClient({ scenario, url, context }: ScenarioRequest): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "steward-mcp-grants-"));
  try {
    const client = new SuiteClient(url, context, directory);
    if (scenario.startsWith("auth/")) await client.runSignedIn(scenario);
    else await client.run(undefined);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

class SuiteClient {
  readonly #url: string;
  readonly #context: ScenarioContext;
  readonly #grants: { readonly file: GrantFile; readonly clock: typeof systemClock };
  readonly #signal = AbortSignal.timeout(SCENARIO_MS_MAX);

  constructor(url: string, context: ScenarioContext, directory: string) {
    this.#url = url;
    this.#context = context;
    this.#grants = { file: new GrantFile(join(directory, "grants.json")), clock: systemClock };
  }

  /** Like a step: one connection, and one call of each tool. */
  async run(oauth: McpOAuth | undefined): Promise<void> {
    const signal = this.#signal;
    const endpoint = { url: this.#url, headers: {}, ...(oauth === undefined ? {} : { oauth }) };
    const access = accessTokensFor({ name: "suite", endpoint }, this.#grants)?.forConnection();
    await using connection = await McpConnection.open({ endpoint, access, signal });
    const definitions = await connection.definitions(signal);
    // One scenario expects the input schema of its first tool back, to check how the client has
    // read it.
    const some = { a: 5, b: 3, schema: definitions[0]?.inputSchema };
    const calls =
      this.#context.toolCalls ?? definitions.map(({ name }) => ({ name, arguments: some }));
    for (const { name, arguments: args } of calls) {
      const definition = definitions.find((each) => each.name === name);
      if (definition === undefined) continue;
      await connection
        .call(definition, { ...args }, { signal, timeoutMs: 30_000 })
        .catch((error: unknown) => {
          // A tool may fail; the scenario only judges authentication.
          if (error instanceof InsufficientScopeError || error instanceof AccessRefused)
            throw error;
        });
    }
  }

  /** Like an operator, who signs in again when the server demands more scopes, a limited number of times. */
  async runSignedIn(scenario: string): Promise<void> {
    const oauth = await this.#configured(scenario);
    let scope: string | undefined;
    for (let signIns = 0; ; signIns += 1) {
      try {
        await this.run(oauth);
        return;
      } catch (error) {
        const isInsufficient = error instanceof InsufficientScopeError;
        if (!isInsufficient && !(error instanceof AccessRefused)) throw error;
        if (signIns === SIGN_INS_MAX || oauth.grant === "client_credentials") throw error;
        const asked = isInsufficient ? error.requiredScope : undefined;
        const all = [...new Set(`${scope ?? ""} ${asked ?? ""}`.trim().split(" "))].join(" ");
        scope = await this.#login(oauth, all === "" ? undefined : all);
      }
    }
  }

  /** Runs `steward tools login`, and acts as the person at the browser. */
  async #login(oauth: McpOAuth, scope: string | undefined): Promise<string | undefined> {
    const grant = await signIn({
      ...{ url: this.#url, oauth, port: 0, clock: systemClock, signal: this.#signal },
      ...(scope === undefined ? {} : { scope }),
      show: (page) => {
        // A person whose page does not open signs in no more: then the sign-in waits until it is given up.
        visit(page).catch(() => undefined);
      },
    });
    this.#grants.file.save("suite", grant);
    return grant.scope;
  }

  /** The entry of the tools file that an operator writes for the scenario. */
  async #configured(scenario: string): Promise<McpOAuth> {
    const {
      client_id: clientId,
      client_secret: clientSecret,
      private_key_pem: privateKey,
    } = this.#context;
    const isByItself = scenario.startsWith("auth/client-credentials");
    if (clientId === undefined) {
      const document = "https://conformance-test.local/client-metadata.json";
      const isPublished = scenario === "auth/basic-cimd";
      return { grant: "authorization_code", ...(isPublished ? { clientId: document } : {}) };
    }
    const issuer =
      this.#context.issuer ?? (await discoverOAuthServerInfo(this.#url)).authorizationServerUrl;
    return {
      grant: isByItself ? "client_credentials" : "authorization_code",
      ...{ issuer, clientId },
      ...(clientSecret === undefined ? {} : { clientSecret }),
      ...(privateKey === undefined ? {} : { privateKey }),
    };
  }
}

/** Opens the page where one signs in, and the one that it leads back to. */
async function visit(page: URL): Promise<void> {
  const answer = await fetch(page, { redirect: "manual" });
  await fetch(answer.headers.get("location") ?? "");
}
