import { request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { startRestServer } from "./testing/rest-server.js";

/** The answer to a request with exactly these headers, which fetch would change. */
function answerTo(
  url: string,
  headers: Readonly<Record<string, string>>,
  method = "GET",
): Promise<{ readonly status: number | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode, text: body }),
        (error: unknown) => reject(error as Error),
      );
    });
    sent.once("error", reject);
    sent.end();
  });
}

async function statusOf(...sent: Parameters<typeof answerTo>): Promise<number | undefined> {
  return (await answerTo(...sent)).status;
}

describe("a browser's request", () => {
  it.each([
    ["of another site", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }],
    ["of another name of the same site", { "sec-fetch-site": "same-site" }],
    ["of another origin, of a browser without Fetch Metadata", { origin: "https://evil.example" }],
    ["of a page without an origin", { origin: "null" }],
  ])("of a page %s is refused", async (_title, headers) => {
    await using server = await startRestServer();
    expect(await statusOf(`${server.url}/api/plans`, headers)).toBe(403);
    expect(await statusOf(`${server.url}/healthz`, headers)).toBe(403);
  });

  it.each(["/api/plans", "/mcp"])(
    "that is refused is told which host and which setting count: %s",
    async (path) => {
      await using server = await startRestServer();
      const { host } = new URL(server.url);
      const foreign = await answerTo(server.url + path, { origin: "https://evil.example" }, "POST");
      expect(foreign.status).toBe(403);
      expect(foreign.text).toContain(`those of the host ${host}, and no setting allows others`);
      const rebound = await answerTo(server.url + path, { host: "evil.example" }, "POST");
      expect(rebound.status).toBe(401);
      expect(rebound.text).toMatch(/localhost or a loopback address[^]*SERVICE_TRUSTED_PROXIES/);
    },
  );

  it("of the server's own pages is answered, and so is what a person types", async () => {
    await using server = await startRestServer();
    for (const headers of [
      { "sec-fetch-site": "same-origin", origin: server.url },
      { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" },
      { origin: server.url },
      {},
    ]) {
      expect(await statusOf(`${server.url}/api/plans`, headers)).toBe(200);
    }
  });

  it("that follows a link of another site to a page is answered, and one that changes something is not", async () => {
    await using server = await startRestServer();
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect(await statusOf(`${server.url}/docs`, headers)).toBe(200);
    expect(await statusOf(`${server.url}/api/plans`, headers, "POST")).toBe(403);
  });
});

describe("the descriptions of the API", () => {
  it("are not served when they are switched off", async () => {
    await using server = await startRestServer({ docs: false });
    for (const path of ["/docs", "/openapi.json"]) {
      expect(await statusOf(server.url + path, {})).toBe(404);
    }
    const index = await (await fetch(server.url)).json();
    expect(Object.keys((index as { data: { links: object } }).data.links)).toEqual([
      ...["health", "readiness", "metrics"],
    ]);
  });
});
