import type { AgentClient } from "./connect-search.js";

/** The server as a client is to reach it. */
export interface ServerAddress {
  /** Such as `https://steward.example.com`, without a slash at the end. */
  readonly origin: string;
  /** Whether calls need an API key. */
  readonly needsKey: boolean;
}

/** What a person copies to connect a client; docs/mcp.md has the same for every client of MCP. */
export function linesOf(client: AgentClient, { origin, needsKey }: ServerAddress): string {
  const url = `${origin}/mcp`;
  const bearer = (key: string) => (needsKey ? { headers: { Authorization: `Bearer ${key}` } } : {});
  switch (client) {
    case "claude-code": {
      const header = needsKey ? ` --header "Authorization: Bearer $STEWARD_API_KEY"` : "";
      return `claude mcp add --transport http steward ${url}${header}`;
    }
    case "cursor":
      return json({ mcpServers: { steward: { url, ...bearer("${env:STEWARD_API_KEY}") } } });
    case "vscode": {
      const server = { name: "steward", type: "http", url, ...bearer("${env:STEWARD_API_KEY}") };
      return `code --add-mcp '${JSON.stringify(server)}'`;
    }
    case "claude-desktop":
      return json({
        mcpServers: {
          steward: {
            command: "node",
            args: ["/opt/steward/packages/server/bin/steward.js", "mcp"],
            env: { SERVICE_URL: origin, ...(needsKey ? { STEWARD_API_KEY: "" } : {}) },
          },
        },
      });
    case "chatgpt":
      return url;
    case "typescript":
      return [
        `import { createClient } from "@steward/client";`,
        "",
        `const client = createClient({`,
        `  baseUrl: ${JSON.stringify(origin)},`,
        ...(needsKey ? [`  apiKey: process.env.STEWARD_API_KEY,`] : []),
        `});`,
        `console.log(await client.catalog.listCatalog());`,
      ].join("\n");
    case "curl": {
      const header = needsKey ? ` -H "Authorization: Bearer $STEWARD_API_KEY"` : "";
      return `curl -sS${header} ${origin}/api/catalog`;
    }
  }
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
