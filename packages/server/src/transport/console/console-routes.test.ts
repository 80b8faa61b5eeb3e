import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRestServer, type TestRestServer } from "../rest/testing/rest-server.js";
import { openConsoleFiles } from "./console-files.js";

const PAGE = { accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8" };
const SCRIPT = "console.log('the console');".repeat(100);
const INDEX = `<!doctype html><meta property="csp-nonce" nonce="CSP_NONCE"><script type="module" src="/assets/main-1a2b.js"></script>`;

const directory = mkdtempSync(join(tmpdir(), "steward-console-"));
let server: TestRestServer;
beforeAll(async () => {
  mkdirSync(join(directory, "assets"));
  writeFileSync(join(directory, "index.html"), INDEX);
  writeFileSync(join(directory, "favicon.svg"), "<svg/>");
  writeFileSync(join(directory, "assets", "main-1a2b.js"), SCRIPT);
  writeFileSync(join(directory, "assets", "main-1a2b.js.br"), brotliCompressSync(SCRIPT));
  writeFileSync(join(directory, "assets", "main-1a2b.js.gz"), gzipSync(SCRIPT));
  server = await startRestServer({ console: await openConsoleFiles(directory) });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

/** The answer to a GET, and its text. */
async function get(path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${server.url}${path}`, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe("the console's index", () => {
  it("is what a browser gets at / and at every address of a view", async () => {
    for (const path of ["/", "/plans", "/plans/7d9f2c61?tab=graph", "/usage"]) {
      const { status, headers, text } = await get(path, PAGE);
      expect([path, status, headers.get("content-type")]).toEqual([
        path,
        200,
        "text/html; charset=utf-8",
      ]);
      expect(text).toContain("/assets/main-1a2b.js");
    }
  });

  it("has a strict policy with a nonce of each answer", async () => {
    const [one, other] = [await get("/plans", PAGE), await get("/plans", PAGE)];
    const policy = one.headers.get("content-security-policy") ?? "";
    const [, nonce = ""] = /'nonce-([^']+)'/.exec(policy) ?? [];
    expect(policy).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; worker-src 'self'; connect-src 'self'; ` +
        "img-src 'self' data:; font-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    );
    expect(nonce).toMatch(/^[\w-]{22}$/);
    expect(one.text).toContain(`nonce="${nonce}"`);
    expect(other.text).not.toContain(nonce);
    expect(Object.fromEntries(one.headers)).toMatchObject({
      "cache-control": "no-store",
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    });
    expect(one.headers.get("permissions-policy")).toContain("camera=()");
  });

  it("takes no address of the API, and nothing from programs", async () => {
    for (const path of ["/api/nothing", "/assets/nothing.js", "/mcp/x", "/.well-known/x"]) {
      const { status, headers } = await get(path, PAGE);
      expect([path, status]).toEqual([path, 404]);
      expect(headers.get("content-type")).toContain("application/json");
    }
    expect((await get("/plans")).status).toBe(404);
    expect(JSON.parse((await get("/")).text)).toMatchObject({ data: { name: "Steward" } });
    const posted = await fetch(`${server.url}/plans`, { method: "POST", headers: PAGE });
    expect(posted.status).toBe(404);
  });
});

describe("a file of the console", () => {
  it("comes in the best coding that the client accepts, and is cached for good", async () => {
    for (const [accepted, coding] of [
      ["gzip, deflate, br", "br"],
      ["gzip;q=0.5, br;q=0", "gzip"],
      ["identity", null],
    ] as const) {
      const headers = { "accept-encoding": accepted };
      const response = await fetch(`${server.url}/assets/main-1a2b.js`, { headers });
      expect(response.headers.get("content-encoding")).toBe(coding);
      expect(await response.text()).toBe(SCRIPT);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "cache-control": "public, max-age=31536000, immutable",
        "content-type": "text/javascript; charset=utf-8",
        vary: "accept-encoding",
      });
    }
  });

  it("is one of those that were built: no path leads out of their directory", async () => {
    writeFileSync(join(directory, "secret.txt"), "a secret");
    for (const path of ["/assets/..%2Fsecret.txt", "/assets/%2e%2e%2fsecret.txt", "/secret.txt"]) {
      const { status, text } = await get(path);
      expect([path, status, text.includes("a secret")]).toEqual([path, 404, false]);
    }
    expect((await get("/favicon.svg")).headers.get("content-type")).toBe("image/svg+xml");
  });
});

describe("a server without a console", () => {
  it("says that the console is not built, and serves no views", async () => {
    await using bare = await startRestServer({ console: "not built" });
    const page = await fetch(bare.url, { headers: PAGE });
    expect(await page.text()).toContain("The console is not built. Run npm run build");
    expect((await fetch(`${bare.url}/plans`, { headers: PAGE })).status).toBe(404);
  });

  it("says nothing of it where the console is switched off", async () => {
    await using bare = await startRestServer();
    const page = await fetch(bare.url, { headers: PAGE });
    expect([page.status, (await page.text()).includes("not built")]).toEqual([200, false]);
  });
});
