import { connect, type ClientHttp2Session } from "node:http2";
import { status } from "@grpc/grpc-js";
import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { ErrorInfoSchema, StatusSchema, UsageService } from "@steward/protocol/grpc";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GrpcPatience } from "./server.js";
import { startServer, type TestServer } from "./testing/grpc-server.js";

/** The end of a call as sent by the server. */
interface Ended {
  readonly code: number;
  /** `reason` of the google.rpc.ErrorInfo. */
  readonly reason: string | undefined;
}

let server: TestServer;
let session: ClientHttp2Session;
beforeEach(async () => {
  await start();
});
afterEach(async () => {
  await stop();
});

async function start(patience: Partial<GrpcPatience> = {}): Promise<void> {
  server = await startServer({ patience });
  session = connect(`http://127.0.0.1:${String(server.port)}`);
}

async function stop(): Promise<void> {
  session.destroy();
  await server[Symbol.asyncDispose]();
}

/** Sends these bytes as the body of a call, optionally without ending it. */
async function send(...asked: Parameters<typeof trailersOf>): Promise<Ended> {
  const headers = await trailersOf(...asked);
  const details = headers["grpc-status-details-bin"];
  const told =
    typeof details === "string"
      ? fromBinary(StatusSchema, Buffer.from(details, "base64")).details
      : [];
  const info = told.map((any) => anyUnpack(any, ErrorInfoSchema)).find((found) => found);
  return { code: Number(headers["grpc-status"]), reason: info?.reason };
}

/** The last headers of the answer. */
async function trailersOf(
  method: string,
  body: Buffer,
  endStream = true,
  metadata: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const path = method.includes("/") ? method : `ControlPlaneService/${method}`;
  const stream = session.request({
    ...metadata,
    ":method": "POST",
    ":path": `/controlplane.v1.${path}`,
    "content-type": "application/grpc",
    te: "trailers",
  });
  stream.on("error", () => undefined);
  stream.write(body);
  if (endStream) stream.end();
  const headers = await new Promise<Record<string, unknown>>((resolve) => {
    stream.on("response", (response) => {
      if ("grpc-status" in response) resolve(response);
    });
    stream.on("trailers", resolve);
    stream.resume();
  });
  stream.destroy();
  return headers;
}

/** A message with its gRPC prefix: not compressed, and its length. */
function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** A message whose first field is this text. */
function withText(bytes: Buffer): Buffer {
  const length = [];
  let rest = bytes.length;
  do {
    length.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return Buffer.concat([Buffer.from([0x0a, ...length]), bytes]);
}

describe("bad input over gRPC", () => {
  it("is refused when a string is not UTF-8", async () => {
    for (const text of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80]]) {
      expect(await send("GetPlanStatus", framed(withText(Buffer.from(text))))).toEqual({
        code: status.INVALID_ARGUMENT,
        reason: "INVALID_ARGUMENT",
      });
    }
  });

  it("is refused when it is no message", async () => {
    expect(await send("GetPlanStatus", framed(Buffer.from([0x0a, 0x7f])))).toEqual({
      code: status.INVALID_ARGUMENT,
      reason: "INVALID_ARGUMENT",
    });
    expect(await send("StreamPlanEvents", framed(Buffer.from([0x0a, 0x7f])))).toEqual({
      code: status.INVALID_ARGUMENT,
      reason: "INVALID_ARGUMENT",
    });
  });

  it("is refused when it is larger than 4 MiB, and changes nothing", async () => {
    const message = withText(Buffer.alloc(4 * 1024 * 1024, "x"));
    expect(await send("SubmitPlan", framed(message))).toEqual({
      code: status.RESOURCE_EXHAUSTED,
      reason: "LIMIT_EXCEEDED",
    });
    expect(server.orchestrator.lastContext).toBeUndefined();
  });

  it("is refused before it is read when it announces much more", async () => {
    const prefix = Buffer.from([0, 0xff, 0xff, 0xff, 0xff]);
    const { code } = await send("SubmitPlan", prefix, false);
    expect(code).toBe(status.RESOURCE_EXHAUSTED);
  });

  it("is taken up to 4 MiB", async () => {
    const message = withText(Buffer.alloc(4 * 1024 * 1024 - 5, "x"));
    expect(message).toHaveLength(4 * 1024 * 1024);
    expect(await send("SubmitPlan", framed(message))).toEqual({
      code: status.INVALID_ARGUMENT,
      reason: "INVALID_PLAN",
    });
  });

  it("is not waited for when it does not arrive", async () => {
    await stop();
    await start({ requestTimeoutMs: 200 });
    const half = framed(Buffer.alloc(100)).subarray(0, 50);
    for (const sent of [half, Buffer.alloc(0), framed(withText(Buffer.from("plan-1")))]) {
      expect(await send("GetPlanStatus", sent, false)).toEqual({
        code: status.DEADLINE_EXCEEDED,
        reason: "DEADLINE_EXCEEDED",
      });
    }
  });

  it("is not decoded for a caller who is refused", async () => {
    const noMessage = framed(Buffer.from([0x0a, 0x7f]));
    const stranger = { "x-org-id": "no UUID" };
    const messageTo = async (metadata: Readonly<Record<string, string>>) =>
      String((await trailersOf("SubmitPlan", noMessage, true, metadata))["grpc-message"]);
    expect(await messageTo(stranger)).toContain("x-org-id");
    expect(await messageTo({})).not.toContain("x-org-id");
  });

  it("is refused without being decoded when it has too many fields", async () => {
    const step = (fields: Buffer): Buffer => {
      const [low, high] = [(fields.length & 0x7f) | 0x80, fields.length >> 7];
      return Buffer.concat([Buffer.from([0x22, low, high]), fields]);
    };
    const tooMany = [
      Buffer.from("2200".repeat(10_001), "hex"),
      // 300 steps of 1000 dependencies each.
      Buffer.concat(
        Array.from({ length: 300 }, () => step(Buffer.from("3200".repeat(1000), "hex"))),
      ),
    ];
    for (const message of tooMany) {
      expect(await send("SubmitPlan", framed(message))).toEqual({
        code: status.INVALID_ARGUMENT,
        reason: "LIMIT_EXCEEDED",
      });
    }
    expect(server.orchestrator.lastContext).toBeUndefined();
  });

  it("is refused when a text in it holds a NUL character, which PostgreSQL cannot keep", async () => {
    const admin = { "x-user-role": "admin" };
    const withNul = framed(Buffer.from([0x12, 0x01, 0x00]));
    expect(await send("ListPlans", withNul)).toEqual({
      code: status.INVALID_ARGUMENT,
      reason: "INVALID_ARGUMENT",
    });
    const first = framed(Buffer.from([0x0a, 0x01, 0x00]));
    for (const method of [
      "MemoryService/DeleteMemorySession",
      "MemoryService/ListMemoryEntries",
      "UsageService/RemoveBudget",
    ]) {
      const { code, reason } = await send(method, first, true, admin);
      expect([method, code, reason]).toEqual([method, status.INVALID_ARGUMENT, "INVALID_ARGUMENT"]);
    }
    expect(server.orchestrator.lastContext).toBeUndefined();
  });

  it("is refused when its metadata have more than 16 KiB", async () => {
    const metadata = { "x-filler": "x".repeat(16 * 1024) };
    const { code } = await send("GetPlanStatus", framed(Buffer.alloc(0)), true, metadata);
    expect(code).toBe(status.RESOURCE_EXHAUSTED);
  });

  it("is told only to those who may call", async () => {
    const noMessage = framed(Buffer.from([0x0a, 0x7f]));
    for (const { name, parent } of UsageService.methods) {
      const method = `${parent.name}/${name}`;
      expect(await send(method, noMessage)).toEqual({
        code: status.PERMISSION_DENIED,
        reason: "POLICY_DENIED",
      });
    }
    const admin = { "x-user-role": "ADMIN" };
    const { reason } = await send("UsageService/GetUsage", noMessage, true, admin);
    expect(reason).toBe("INVALID_ARGUMENT");
  });

  it("is answered when there is no such method", async () => {
    const { code } = await send("NoSuchMethod", framed(Buffer.alloc(0)));
    expect(code).toBe(status.UNIMPLEMENTED);
  });
});
