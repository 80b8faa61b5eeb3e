import { execFile } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { status } from "@grpc/grpc-js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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
    const watches = Array.from({ length: 20 }, () => {
      const watch = server.client.stream("Watch", { service: "" });
      return Object.assign(watch, { opened: once(watch, "data") });
    });
    for (const watch of watches) await watch.opened;
    for (const watch of watches) watch.on("error", () => undefined);
    const outcome = async (): Promise<unknown> => {
      const watch = server.client.stream("Watch", { service: "" });
      const ended = new Promise((resolve) =>
        watch.on("error", (error) => resolve("code" in error && error.code)),
      );
      const opened = once(watch, "data").then(() => "open");
      const seen = await Promise.race([ended, opened.catch(() => ended)]);
      watch.cancel();
      return seen;
    };
    expect(await outcome()).toBe(status.RESOURCE_EXHAUSTED);
    watches.pop()?.cancel();
    await expect.poll(outcome).toBe("open");
    for (const watch of watches) watch.cancel();
  });

  it("needs no identity", async () => {
    const call = server.client.call("Check", {}, { metadata: { "x-org-id": "not a UUID" } });
    expect(await call).toEqual({ status: "SERVING" });
  });
});
