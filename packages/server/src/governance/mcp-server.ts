import type { OrganizationAccess } from "@steward/kernel/data-source-access.js";
import type { Intent } from "./intent.js";

/** Another MCP server whose tools steps may call. */
export interface McpServer {
  readonly name: string;
  readonly endpoint: McpEndpoint;
  /** The organizations that may use its tools; absent: as for an unbound data source. */
  readonly organizations?: readonly OrganizationAccess[];
  /** The only tools that may be called. */
  readonly tools: readonly McpTool[];
}

/** How another MCP server is reached: over Streamable HTTP, or as a process on stdio. */
export type McpEndpoint =
  | {
      readonly url: string;
      /** May hold secrets; never shown. */
      readonly headers: Readonly<Record<string, string>>;
      /** Absent: the headers are all that the server is shown. */
      readonly oauth?: McpOAuth;
    }
  | {
      readonly command: string;
      readonly args: readonly string[];
      /** Beside the few variables that every program needs. May hold secrets; never shown. */
      readonly env: Readonly<Record<string, string>>;
    };

/** How access tokens for another MCP server are obtained (OAuth 2.1). Holds secrets; never shown. */
export interface McpOAuth {
  /**
   * `authorization_code`: a person signs in with `steward tools login`, or an operator gives a
   * refresh token. `client_credentials`: the server signs in by itself.
   */
  readonly grant: "authorization_code" | "client_credentials";
  /** The only authorization server that gets the client's secrets; absent: a person chooses it. */
  readonly issuer?: string;
  /** Absent: the client registers itself when a person signs in (RFC 7591). */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** PEM. Signs assertions in place of a secret (`private_key_jwt`, RFC 7523). */
  readonly privateKey?: string;
  /** Where the authorization server issued it out of band. */
  readonly refreshToken?: string;
  /** Separated by spaces; absent: as the server asks for. */
  readonly scope?: string;
}

/** A tool of another MCP server that steps may call. */
export interface McpTool {
  readonly name: string;
  /** The effect of a call, which determines its weight. The server's own annotations are not believed. */
  readonly intent: Intent;
}

/** Names of other MCP servers' tools begin with it. */
export const MCP_PREFIX = "mcp:";

/** The `tool_name` of another MCP server's tool, which is also the name that policies know it by. */
export function mcpToolName(server: string, tool: string): string {
  return `${MCP_PREFIX}${server}/${tool}`;
}
