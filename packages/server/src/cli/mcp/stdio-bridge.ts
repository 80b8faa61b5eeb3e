import { once } from "node:events";
import { Client, StreamableHTTPClientTransport, type Progress } from "@modelcontextprotocol/client";
import { McpServer, type RequestMethod, type ServerContext } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { callerHeaders, createClient, type ClientOptions } from "@steward/client";
import { STEP_TIMEOUT_MS_MAX } from "../../plans/limits.js";
import { version } from "../../version.js";

/**
 * The methods that the bridge passes on: all that the server offers. The bridge itself refuses
 * other methods.
 */
const METHODS = [
  ...(["tools/list", "tools/call", "prompts/list", "prompts/get"] as const),
  ...(["resources/list", "resources/templates/list", "resources/read"] as const),
] satisfies readonly RequestMethod[];

/**
 * Passes the messages of one MCP client on standard input to a server's `/mcp`, and the server's
 * answers back, until the input ends. Requests are sent with the credential of the command, because
 * the client's messages contain none.
 * @throws StewardError when the server cannot be reached or refuses the credential.
 */
export async function serveMcpOnStdio(server: ClientOptions): Promise<void> {
  const upstream = await connected(server);
  const ended = once(process.stdin, "close");
  const serving = serveStdio(() => bridge(upstream));
  await ended;
  await serving.close();
  await upstream.close();
}

async function connected(server: ClientOptions): Promise<Client> {
  // Its errors tell what is wrong with the address or the credential, which those of the MCP client do not.
  await createClient(server).tools.list();
  const url = new URL("mcp", `${server.baseUrl.replace(/\/+$/, "")}/`);
  if (server.toolsets !== undefined) url.searchParams.set("toolsets", server.toolsets.join(","));
  const client = new Client(
    { name: "steward-mcp", version: version() },
    { versionNegotiation: { mode: "auto" } },
  );
  const requestInit = { headers: callerHeaders(server) };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return client;
}

/** An MCP server with the name, capabilities and instructions of the remote server. */
function bridge(upstream: Client): McpServer {
  const instructions = upstream.getInstructions();
  const mcp = new McpServer(
    upstream.getServerVersion() ?? { name: "steward", version: version() },
    {
      capabilities: upstream.getServerCapabilities() ?? {},
      ...(instructions === undefined ? {} : { instructions }),
    },
  );
  for (const method of METHODS) {
    mcp.server.setRequestHandler(method, async ({ params }, exchange) =>
      upstream.request({ method, params: { ...params } }, passedOn(exchange)),
    );
  }
  return mcp;
}

/** Passes on that the client gives up, and progress where the client asks for it. */
function passedOn({ mcpReq }: ServerContext) {
  const progressToken = mcpReq._meta?.progressToken;
  return {
    signal: mcpReq.signal,
    // The server has time limits of its own.
    timeout: STEP_TIMEOUT_MS_MAX,
    ...(progressToken === undefined
      ? {}
      : {
          onprogress: (progress: Progress) => {
            const params = { ...progress, progressToken };
            // A client that has disconnected does not read its answer either.
            mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
          },
        }),
  };
}
