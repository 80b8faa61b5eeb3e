import { status } from "@grpc/grpc-js";
import { UsageService } from "@steward/protocol/grpc";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./testing/grpc-server.js";

const METHODS = UsageService.methods.map(({ name }) => name);

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

/** The error for callers who are neither billing admins nor operators. */
const MISSING =
  /needs the role .*admin.* or the permission manage:billing|needs the role operator;/;

describe("the usage service", () => {
  it.each(METHODS)("refuses %s to others than billing admins", async (method) => {
    for (const metadata of [{}, { "x-user-role": "viewer" }, { "x-user-permissions": "manage" }]) {
      await expect(server.client.call(method, {}, { metadata })).rejects.toMatchObject({
        code: status.PERMISSION_DENIED,
        details: expect.stringMatching(MISSING) as string,
      });
    }
  });

  it("lets the permission in as well as the role, and says that nothing is kept", async () => {
    for (const metadata of [
      { "x-user-role": "Admin" },
      { "x-user-permissions": "read:plans, manage:billing" },
    ]) {
      await expect(server.client.call("GetUsage", {}, { metadata })).rejects.toMatchObject({
        code: status.UNAVAILABLE,
        details: "Usage is not recorded: no store is configured; set SERVICE_DATABASE_URL",
      });
    }
  });
});
