import { connect as connectTcp } from "node:net";
import { connect } from "node:http2";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "../app/app.js";
import { withRepeatedHeaders } from "./repeated-headers.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const OTHER_ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b12";

let app: App;
beforeAll(async () => {
  app = await openApp({ port: 0, logLevel: "silent" });
});
afterAll(() => app[Symbol.asyncDispose]());

describe("an identity header that is sent twice", () => {
  it("has all its values; other headers stay as they are", () => {
    const raw = ["X-Org-Id", "a", "accept", "x", "x-org-id", "b", "accept", "y"];
    expect(withRepeatedHeaders({ "x-org-id": "a, b", accept: "x, y" }, raw)).toEqual({
      "x-org-id": ["a", "b"],
      accept: "x, y",
    });
    const once = { "x-org-id": "a" };
    expect(withRepeatedHeaders(once, ["x-org-id", "a"])).toBe(once);
  });

  it.each(["x-org-id", "x-user-role", "x-session-id", "authorization"])(
    "is refused over HTTP/1.1: %s",
    async (name) => {
      const socket = connectTcp(app.address.port, "127.0.0.1");
      socket.write(
        `GET /api/plans HTTP/1.1\r\nhost: localhost\r\n${name}: a\r\n${name}: b\r\nconnection: close\r\n\r\n`,
      );
      const answer = await text(socket);
      expect(answer).toMatch(/^HTTP\/1.1 400 .*The header .* is sent more than once/s);
    },
  );

  it.each(["application/json", "application/grpc"])("is refused over HTTP/2: %s", async (type) => {
    const session = connect(`http://127.0.0.1:${app.address.port}`);
    const stream = session.request({
      ":method": type === "application/grpc" ? "POST" : "GET",
      ":path":
        type === "application/grpc"
          ? "/controlplane.v1.ControlPlaneService/ListPlans"
          : "/api/plans",
      "content-type": type,
      te: "trailers",
      "x-org-id": [ORG, OTHER_ORG],
    });
    const heads: Record<string, unknown>[] = [];
    stream.on("response", (head) => heads.push(head));
    stream.on("trailers", (head: Record<string, unknown>) => heads.push(head));
    stream.end(type === "application/grpc" ? Buffer.alloc(5) : undefined);
    const body = await text(stream);
    session.close();
    const status = Object.assign({}, ...heads) as Record<string, unknown>;
    const message = type === "application/grpc" ? String(status["grpc-message"]) : body;
    expect(decodeURIComponent(message)).toContain(
      "x-org-id is malformed: it is sent more than once",
    );
    expect(status[type === "application/grpc" ? "grpc-status" : ":status"]).toEqual(
      type === "application/grpc" ? "3" : 400,
    );
  });
});
