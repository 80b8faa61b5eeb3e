import { MCP_SIGN_IN_MS } from "../adapters/limits.js";
import { AccessRefused, GrantFile, signIn } from "../adapters/mcp-client/index.js";
import { inDataDirectory, type Config } from "../config/index.js";
import { systemClock } from "@steward/kernel/clock.js";
import type { McpOAuth } from "../governance/index.js";

export { AccessRefused };

/** How a person signs in to another MCP server. */
export interface McpSignIn {
  /** In place of the scope of the tools file. */
  readonly scope?: string;
  /** Port of the redirect on loopback; 0: any free one. */
  readonly port: number;
  /** Shows the person the page of the authorization server. */
  readonly show: (page: URL) => void;
}

/** Another MCP server to which a person signs in. */
export interface McpSignInServer {
  readonly name: string;
  readonly url: string;
  readonly oauth: McpOAuth;
}

/** The servers of the tools file to which a person can sign in. */
export function signInServers({ tools }: Pick<Config, "tools">): readonly McpSignInServer[] {
  return (tools.mcpServers ?? []).flatMap(({ name, endpoint }) => {
    if (!("url" in endpoint) || endpoint.oauth?.grant !== "authorization_code") return [];
    return [{ name, url: endpoint.url, oauth: endpoint.oauth }];
  });
}

/**
 * Has a person sign in, and stores what the authorization server gave.
 * @returns the authorization server, the scope that it granted, and the file.
 * @throws AccessRefused when it refuses; a `TimeoutError` when the person does not come back.
 */
export async function signInToMcpServer(
  { name, url, oauth }: McpSignInServer,
  { dataDir }: Pick<Config, "dataDir">,
  how: McpSignIn,
): Promise<{ readonly issuer: string; readonly scope?: string; readonly file: string }> {
  const file = inDataDirectory(dataDir, "mcpGrants");
  const grant = await signIn({
    ...how,
    url,
    oauth,
    clock: systemClock,
    signal: AbortSignal.timeout(MCP_SIGN_IN_MS),
  });
  new GrantFile(file).save(name, grant);
  const { issuer, scope } = grant;
  return { issuer, file, ...(scope === undefined ? {} : { scope }) };
}
