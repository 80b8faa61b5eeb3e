import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { watchedFetch } from "./watched-fetch.js";

const LIMITS = { silenceMs: 20, probeMs: 100 };

describe("a request of the command line", () => {
  let server: Server;
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** @param answers the paths that are answered at all, and after how long in ms. */
  const serve = async (answers: Readonly<Record<string, number>>): Promise<string> => {
    server = createServer(({ url = "" }, response) => {
      const afterMs = answers[url];
      if (afterMs !== undefined) setTimeout(() => response.end("here"), afterMs);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  };

  it("ends with the reason when the server says nothing at all", async () => {
    const url = await serve({});
    await expect(watchedFetch(url, LIMITS)(`${url}/api/plans`)).rejects.toMatchObject({
      code: "BAD_RESPONSE",
      message: `${url} accepts connections but does not answer: it hangs, or it is not a Steward server`,
    });
  });

  it("takes as long as it takes while the server says that it is there", async () => {
    const url = await serve({ "/healthz": 0, "/slow": 200 });
    const response = await watchedFetch(url, LIMITS)(`${url}/slow`);
    expect(await response.text()).toBe("here");
  });

  it("takes as long as it takes after the server has answered once, however busy it is", async () => {
    const url = await serve({ "/first": 0, "/slow": 500 });
    const fetchWatched = watchedFetch(url, LIMITS);
    await (await fetchWatched(`${url}/first`)).text();
    const response = await fetchWatched(`${url}/slow`);
    expect(await response.text()).toBe("here");
  });

  it("is ended by its own signal", async () => {
    const url = await serve({ "/healthz": 0 });
    const reason = new Error("stopped");
    const asked = watchedFetch(url, LIMITS)(url, { signal: AbortSignal.abort(reason) });
    await expect(asked).rejects.toBe(reason);
  });
});
