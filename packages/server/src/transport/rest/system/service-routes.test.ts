import { createHash } from "node:crypto";
import { stepExecutionSchema, submitPlanRequestSchema } from "@steward/operations";
import { errorBodySchema } from "@steward/protocol/rest";
import { describe, expect, it } from "vitest";
import { INTENTS } from "../../../governance/index.js";
import { listedTool } from "../../mcp/tool-schemas.js";
import { ALL_MCP_TOOLS } from "../../mcp/tools/index.js";
import type { z } from "zod";
import { send, startRestServer, type TestRestServer } from "../testing/rest-server.js";

async function text(server: TestRestServer, path: string): Promise<string> {
  return (await fetch(`${server.url}${path}`)).text();
}

describe("health", () => {
  it("says alive, whatever the rooms behind say", async () => {
    await using server = await startRestServer();
    server.readiness = { ready: false, checks: { store: "unreachable" } };
    const { status, body } = await send(server, "GET /healthz");
    expect([status, body]).toEqual([200, { data: { status: "alive" } }]);
  });

  it("says ready with every check, or which one is not", async () => {
    await using server = await startRestServer();
    const ready = await send(server, "GET /readyz");
    expect(ready.status).toBe(200);
    expect(ready.body).toEqual({ data: { ready: true, checks: { store: "ok" } } });
    server.readiness = { ready: false, checks: { store: "unreachable", source: "ok" } };
    const { status, body } = await send(server, "GET /readyz");
    expect([status, body]).toEqual([
      503,
      {
        error: "Not ready: store: unreachable",
        code: "STORE_UNAVAILABLE",
        details: [{ field: "store", reason: "unreachable" }],
      },
    ]);
  });

  it("answers HEAD as GET, without a body", async () => {
    await using server = await startRestServer();
    const { status, body } = await send(server, "HEAD /healthz");
    expect([status, body]).toEqual([200, {}]);
  });
});

describe("/", () => {
  it("leads on, as JSON or as a page, and every link is there", async () => {
    await using server = await startRestServer();
    const { status, body } = await send(server, "GET /");
    expect([status, body.data]).toMatchObject([200, { name: "Steward", version: "1.2.3" }]);
    const { links } = body.data as { links: Record<string, string> };
    for (const path of Object.values(links)) {
      expect((await fetch(`${server.url}${path}`)).status).toBe(200);
    }
    const accept = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";
    const response = await fetch(server.url, { headers: { accept } });
    expect(response.headers.get("vary")).toBe("accept");
    const page = await response.text();
    const hrefs = [...page.matchAll(/href="([^"]+)"/g)].map(([, href]) => `/${href ?? ""}`);
    expect(hrefs).toEqual(Object.values(links));
  });
});

describe("the documents for agents", () => {
  it("lead to pages that are there, and teach tools that there are", async () => {
    await using server = await startRestServer();
    const overview = await text(server, "/llms.txt");
    const paths = [...overview.matchAll(/\]\((\/[^)]+)\)/g)].map(([, path = ""]) => path);
    expect(paths.slice(0, 2)).toEqual(["/skill.md", "/mcp"]);
    for (const path of paths.filter((each) => each !== "/mcp")) {
      expect([path, (await fetch(`${server.url}${path}`)).status]).toEqual([path, 200]);
    }
    const skill = await text(server, "/skill.md");
    expect(skill).toMatch(/^---\nname: steward\ndescription: /);
    const named = [...skill.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name = ""]) => name);
    // Each name is a tool, a member of its messages, one of their values, or a prompt.
    const known = JSON.stringify([ALL_MCP_TOOLS.map(listedTool), INTENTS, "repair_plan"]);
    expect(
      named.filter((name) => !known.includes(`"${name}"`)),
      "skill.md names a tool or field that no MCP tool has",
    ).toEqual([]);
  });
});

describe("/metrics", () => {
  it("counts and times requests by route, not by path", async () => {
    await using server = await startRestServer();
    await send(server, "GET /api/plans/one");
    await send(server, "GET /api/plans/two");
    await send(server, "GET /nowhere");
    const page = await text(server, "/metrics");
    const labels = 'method="GET",route="/api/plans/:plan_id"';
    expect(page).toContain(`steward_http_requests_total{${labels},status="404"} 2`);
    expect(page).toContain(`steward_http_request_duration_seconds_count{${labels}} 2`);
    expect(page).toContain('steward_http_requests_total{method="GET",route="none",status="404"} 1');
  });
});

describe("/openapi.json", () => {
  it("describes an endpoint with its errors", async () => {
    await using server = await startRestServer();
    const { body } = await send(server, "GET /openapi.json");
    expect(body["openapi"]).toBe("3.1.0");
    expect(body["info"]).toMatchObject({ title: "Steward", version: "1.2.3" });
    const { responses } = (body["paths"] as Paths)["/api/plans/{plan_id}"]?.["get"] ?? {};
    expect(Object.keys(responses ?? {})).toEqual([
      ...["200", "400", "401", "404", "429", "500", "503"],
    ]);
  });

  it("refers only to schemas that it holds, and holds only those it refers to", async () => {
    await using server = await startRestServer();
    const json = await text(server, "/openapi.json");
    const referred = new Set(
      [...json.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, n]) => n),
    );
    const { components } = JSON.parse(json) as { components: { schemas: object } };
    expect([...referred].sort()).toEqual(Object.keys(components.schemas).sort());
    expect(components.schemas).toHaveProperty("PlanStepDef");
  });

  it("gives examples that are true to their schemas", async () => {
    await using server = await startRestServer();
    const { body } = await send(server, "GET /openapi.json");
    const { schemas } = body["components"] as { schemas: Record<string, { examples: unknown[] }> };
    const cases: readonly (readonly [string, z.ZodType])[] = [
      ["Error", errorBodySchema],
      ["SubmitPlanRequest", submitPlanRequestSchema],
      ["StepExecution", stepExecutionSchema],
    ];
    for (const [name, schema] of cases) {
      expect(schemas[name]?.examples.map((example) => schema.safeParse(example).success)).toEqual([
        true,
      ]);
    }
  });
});

describe("/docs", () => {
  it("shows every endpoint and schema on one page", async () => {
    await using server = await startRestServer();
    const page = await text(server, "/docs");
    for (const words of [
      "submitPlan",
      "/api/plans/{plan_id}/events",
      'id="schema-LlmContextUpdate"',
    ]) {
      expect(page).toContain(words);
    }
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id ?? "");
    expect(links.filter((id) => !page.includes(`id="${id}"`))).toEqual([]);
  });

  it("needs no network and no script: it loads nothing, and its policy allows only its style", async () => {
    await using server = await startRestServer();
    const response = await fetch(`${server.url}/docs`);
    const page = await response.text();
    expect(page).not.toMatch(/(?:href|src)="https?:|<script|<link|<img|@import|url\(/);
    const style = /<style>(.*)<\/style>/s.exec(page)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(response.headers.get("content-security-policy")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'; base-uri 'none'`,
    );
  });
});

type Paths = Record<string, Record<string, { operationId: string; responses: object }>>;
