import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { startRestServer } from "./testing/rest-server.js";

/** The status of a request with exactly these headers, which fetch would change. */
function statusOf(
  url: string,
  headers: Readonly<Record<string, string>>,
  method = "GET",
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.once("error", reject);
    sent.end();
  });
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
