import { execFile } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { status } from "@grpc/grpc-js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CallOptions } from "../testing/bare-client.js";
import { startServer, type TestServer } from "../testing/grpc-server.js";

const BUF = fileURLToPath(import.meta.resolve("@bufbuild/buf/bin/buf"));

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

/** Runs `buf curl`, which knows this server's API only from reflection. */
async function bufCurl(path: string, ...args: readonly string[]): Promise<string> {
  const url = `http://127.0.0.1:${String(server.port)}${path}`;
  const options = ["curl", "--protocol", "grpc", "--http2-prior-knowledge", ...args, url];
  const { stdout } = await promisify(execFile)(process.execPath, [BUF, ...options]);
  return stdout.trim();
}

describe("a client without our .proto files", () => {
  it("finds the services and their methods", async () => {
    expect((await bufCurl("", "--list-services")).split("\n")).toContain(
      "controlplane.v1.ControlPlaneService",
    );
    expect((await bufCurl("", "--list-methods")).split("\n")).toEqual(
      expect.arrayContaining([
        "controlplane.v1.ControlPlaneService/SubmitPlan",
        "controlplane.v1.ControlPlaneService/StreamPlanEvents",
        "grpc.health.v1.Health/Check",
      ]),
    );
  });

  it("submits a plan and executes its step", async () => {
    const data = JSON.stringify({
      sessionId: "s",
      steps: [{ stepId: "a", queryTemplate: "SELECT 1" }],
    });
    const path = "/controlplane.v1.ControlPlaneService";
    const { planId } = JSON.parse(await bufCurl(`${path}/SubmitPlan`, "-d", data)) as {
      planId: string;
    };
    const step = JSON.stringify({ planId, stepId: "a" });
    expect(JSON.parse(await bufCurl(`${path}/ExecuteStep`, "-d", step))).toMatchObject({
      success: true,
      stepResult: { stepId: "a", status: "completed", rowCount: "1" },
    });
  });

  it("is told what was wrong with a request", async () => {
    const path = "/controlplane.v1.ControlPlaneService/SubmitPlan";
    const failed = await bufCurl(path, "-d", "{}").catch((error: unknown) => error);
    const { stderr } = failed as { stderr: string };
    expect(JSON.parse(stderr)).toMatchObject({
      code: "invalid_argument",
      message: "steps: must have at least one step",
      details: [{ type: "google.rpc.ErrorInfo" }, { type: "google.rpc.BadRequest" }],
    });
  });
});

describe("the health service", () => {
  it.each(["", "controlplane.v1.ControlPlaneService"])("answers for %j", async (service) => {
    expect(await server.client.call("Check", { service })).toEqual({ status: "SERVING" });
    server.readiness = { ready: false, checks: { store: "gone" } };
    expect(await server.client.call("Check", { service })).toEqual({ status: "NOT_SERVING" });
  });

  it("does not know other services", async () => {
    await expect(server.client.call("Check", { service: "other" })).rejects.toMatchObject({
      code: status.NOT_FOUND,
    });
  });

  it("tells those who watch of every change", async () => {
    const watch = server.client.stream("Watch", { service: "" });
    watch.on("error", () => undefined);
    const next = async (): Promise<unknown> => ((await once(watch, "data")) as unknown[])[0];
    expect(await next()).toEqual({ status: "SERVING" });
    const changed = next();
    server.readiness = { ready: false, checks: {} };
    expect(await changed).toEqual({ status: "NOT_SERVING" });
    watch.cancel();
  });

  it("tells those who watch another service that there is none", async () => {
    const watch = server.client.stream("Watch", { service: "other" });
    watch.on("error", () => undefined);
    expect(await once(watch, "data")).toEqual([{ status: "SERVICE_UNKNOWN" }]);
    watch.cancel();
  });

  it("lets one address watch twenty times at once, and refuses further ones until one ends", async () => {
    const watches = await watchTwenty(server);
    expect(await outcomeOfWatch(server)).toBe(status.RESOURCE_EXHAUSTED);
    watches.pop()?.cancel();
    await expect.poll(() => outcomeOfWatch(server)).toBe("open");
    for (const watch of watches) watch.cancel();
  });

  it.each([
    ["each client of a trusted proxy", ["127.0.0.1", "::1"], "open"],
    ["the clients of another proxy together", [], status.RESOURCE_EXHAUSTED],
  ])("counts the watches of %s", async (_whose, trustedProxies, expected) => {
    await using behind = await startServer({ trustedProxies });
    const forwarded = (client: string) => ({ metadata: { "x-forwarded-for": client } });
    const watches = await watchTwenty(behind, forwarded("192.0.2.1"));
    const full = await outcomeOfWatch(behind, forwarded("192.0.2.1"));
    expect(full).toBe(status.RESOURCE_EXHAUSTED);
    expect(await outcomeOfWatch(behind, forwarded("192.0.2.2"))).toBe(expected);
    for (const watch of watches) watch.cancel();
  });

  it("needs no identity", async () => {
    const call = server.client.call("Check", {}, { metadata: { "x-org-id": "not a UUID" } });
    expect(await call).toEqual({ status: "SERVING" });
  });
});

/** Opens as many watches as one address may have. */
async function watchTwenty({ client }: TestServer, options?: CallOptions) {
  const watches = Array.from({ length: 20 }, () => {
    const watch = client.stream("Watch", { service: "" }, options);
    return Object.assign(watch, { opened: once(watch, "data") });
  });
  for (const watch of watches) await watch.opened;
  for (const watch of watches) watch.on("error", () => undefined);
  return watches;
}

/** @returns "open" or the status of the refusal. */
async function outcomeOfWatch({ client }: TestServer, options?: CallOptions): Promise<unknown> {
  const watch = client.stream("Watch", { service: "" }, options);
  const ended = new Promise((resolve) =>
    watch.on("error", (error) => resolve("code" in error && error.code)),
  );
  const opened = once(watch, "data").then(() => "open");
  const seen = await Promise.race([ended, opened.catch(() => ended)]);
  watch.cancel();
  return seen;
}
