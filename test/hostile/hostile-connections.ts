import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { FLAG, FRAME, frame, headerBlock, PREFACE, settings, takeFrames } from "./http2-frames.js";

/** A connection that tries to stay open without use, or to keep the server busy. */
export interface HostileConnection {
  readonly name: string;
  readonly send: (peer: Peer) => Promise<void> | void;
  /** Whether the client reads the server's data and answers its pings. */
  readonly isPolite?: boolean;
  /** Whether it sends as much as the server takes, and the server ends it soon. */
  readonly isFlood?: true;
  /** How it ends: the server closes the connection, or answers or resets stream 1. */
  readonly ends: "connection" | "stream";
}

/** The end of a hostile connection. */
export interface Ending {
  readonly afterMs: number;
  readonly isClosed: boolean;
  /** Whether stream 1 was answered or reset. */
  readonly isAnswered: boolean;
}

/** The client side of a connection. */
export interface Peer {
  readonly isOpen: boolean;
  /** Resolves when the bytes are sent, or the connection has ended. */
  write(bytes: Buffer): Promise<void>;
}

/** Time limit for the end of a connection, in ms; the longest limit of the server is a minute. */
const ENDING_MS_MAX = 150_000;

/** Opens the connection, and waits until the server has ended it. */
export async function endingOf(url: string, hostile: HostileConnection): Promise<Ending> {
  const { hostname, port } = new URL(url);
  const startMs = performance.now();
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const over = new AbortController();
  let isAnswered = false;
  socket.on("error", () => undefined).once("close", () => over.abort());
  if (hostile.isPolite === false) socket.pause();
  else
    readFrames(socket, () => {
      isAnswered = true;
      if (hostile.ends === "stream") over.abort();
    });
  const peer: Peer = {
    get isOpen() {
      return !socket.destroyed && !over.signal.aborted;
    },
    write: (bytes) =>
      new Promise((resolve) => {
        if (socket.destroyed) resolve();
        else if (socket.write(bytes)) setImmediate(resolve);
        else {
          socket.once("drain", resolve).once("close", () => resolve());
        }
      }),
  };
  const sending = hostile.send(peer);
  await delay(ENDING_MS_MAX, undefined, { signal: over.signal }).catch(() => undefined);
  const ending = { afterMs: performance.now() - startMs, isClosed: socket.destroyed, isAnswered };
  socket.destroy();
  await sending;
  return ending;
}

/** Answers pings, and reports when stream 1 is answered or reset. */
function readFrames(socket: Socket, answered: () => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on("data", (bytes: Buffer) => {
    rest = takeFrames(Buffer.concat([rest, bytes]), ({ type, flags, stream, payload }) => {
      if (type === FRAME.ping && (flags & FLAG.ack) === 0) {
        socket.write(frame(FRAME.ping, FLAG.ack, 0, payload));
      }
      const isEnd =
        type === FRAME.rstStream || (type === FRAME.headers && (flags & FLAG.endStream) !== 0);
      if (stream === 1 && (isEnd || type === FRAME.data)) answered();
    });
  });
}

const HELLO = Buffer.concat([PREFACE, settings()]);
const GET = headerBlock({
  ":method": "GET",
  ":scheme": "http",
  ":path": "/healthz",
  ":authority": "localhost",
});
const post = (path: string, type: string): Buffer =>
  headerBlock({
    ...{ ":method": "POST", ":scheme": "http", ":path": path, ":authority": "localhost" },
    ...{ "content-type": type, te: "trailers" },
  });
const open = (block: Buffer, flags: number): Buffer => frame(FRAME.headers, flags, 1, block);
const GRPC = "/controlplane.v1.ControlPlaneService/ListPlans";

/** Writes one byte after the other, slowly. */
async function dribble(peer: Peer, bytes: Buffer): Promise<void> {
  for (const byte of bytes) {
    if (!peer.isOpen) return;
    await peer.write(Buffer.from([byte]));
    await delay(500);
  }
}

/** Writes the same frames repeatedly, as fast as they are accepted. */
async function flood(peer: Peer, many: (n: number) => Buffer, hello = HELLO): Promise<void> {
  await peer.write(hello);
  for (let n = 0; n < 400 && peer.isOpen; n += 1) await peer.write(many(n));
}

const repeated = (times: number, bytes: Buffer): Buffer =>
  Buffer.concat(Array.from({ length: times }, () => bytes));
const PINGS = repeated(1000, frame(FRAME.ping, 0, 0, Buffer.alloc(8)));
const SETTINGS = repeated(1000, settings(1000));

const WINDOW_UPDATES = repeated(1000, frame(FRAME.windowUpdate, 0, 0, Buffer.from([0, 0, 0, 1])));
const PRIORITIES = repeated(1000, frame(FRAME.priority, 0, 3, Buffer.from([0, 0, 0, 0, 16])));
const EMPTY_DATA = repeated(1000, frame(FRAME.data, 0, 1));

/** A header of 4 KiB that goes into the table of the connection, and 16 000 references to it. */
function compressedHeaders(n: number): Buffer {
  const value = Buffer.alloc(4000, "x");
  // A literal with indexing (RFC 7541 §6.2.1); its length of 4000 in the form of §5.1.
  const literal = Buffer.concat([Buffer.from([0x40, 1, 0x78, 0x7f, 0xa1, 0x1e]), value]);
  const block = Buffer.concat([GET, literal, Buffer.alloc(12_000, 0xbe)]);
  return frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 1 + 2 * n, block);
}

/** 500 streams that are opened and reset at once. */
const resets = (n: number): Buffer =>
  Buffer.concat(
    Array.from({ length: 500 }, (_, index) => {
      const stream = 1 + 2 * (n * 500 + index);
      return Buffer.concat([
        frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, stream, GET),
        frame(FRAME.rstStream, 0, stream, Buffer.from([0, 0, 0, 8])),
      ]);
    }),
  );

/** A limit of the server ends each of them. */
export const HOSTILE_CONNECTIONS: readonly HostileConnection[] = [
  { name: "one that says nothing", ends: "connection", send: () => undefined },
  { name: "a preface that is dribbled", ends: "connection", send: (peer) => dribble(peer, HELLO) },
  { name: "a preface and nothing more", ends: "connection", send: (peer) => peer.write(HELLO) },
  {
    name: "headers that are dribbled",
    ends: "connection",
    send: async (peer) => {
      await peer.write(HELLO);
      await dribble(peer, frame(FRAME.headers, FLAG.endHeaders, 1, GET, 4000));
    },
  },
  {
    name: "headers whose continuation never comes",
    ends: "connection",
    send: (peer) => peer.write(Buffer.concat([HELLO, open(GET, 0)])),
  },
  {
    name: "10 000 continuations of headers",
    ends: "connection",
    send: async (peer) => {
      await peer.write(Buffer.concat([HELLO, open(GET, FLAG.endStream)]));
      const more = repeated(100, frame(FRAME.continuation, 0, 1, headerBlock({ x: "y" })));
      for (let n = 0; n < 100 && peer.isOpen; n += 1) await peer.write(more);
    },
  },
  {
    name: "a REST request whose body never comes",
    ends: "stream",
    send: (peer) =>
      peer.write(
        Buffer.concat([HELLO, open(post("/api/plans", "application/json"), FLAG.endHeaders)]),
      ),
  },
  {
    name: "a gRPC call whose message never comes",
    ends: "stream",
    send: (peer) =>
      peer.write(Buffer.concat([HELLO, open(post(GRPC, "application/grpc"), FLAG.endHeaders)])),
  },
  {
    name: "a REST answer that is never taken",
    ends: "stream",
    send: (peer) =>
      peer.write(
        Buffer.concat([PREFACE, settings(0), open(GET, FLAG.endHeaders | FLAG.endStream)]),
      ),
  },
  {
    name: "a gRPC answer that is never taken",
    ends: "stream",
    send: (peer) =>
      peer.write(
        Buffer.concat([
          ...[PREFACE, settings(0), open(post(GRPC, "application/grpc"), FLAG.endHeaders)],
          frame(FRAME.data, FLAG.endStream, 1, Buffer.alloc(5)),
        ]),
      ),
  },
  {
    name: "pings whose answers are not taken",
    isPolite: false,
    ends: "connection",
    send: (peer) => flood(peer, () => PINGS),
  },
  {
    name: "settings whose answers are not taken",
    isPolite: false,
    ends: "connection",
    send: (peer) => flood(peer, () => SETTINGS),
  },
  {
    name: "streams that are reset as soon as they are opened",
    isFlood: true,
    ends: "connection",
    send: (peer) => flood(peer, resets),
  },
  {
    name: "pings whose answers are taken",
    isFlood: true,
    ends: "connection",
    send: (peer) => flood(peer, () => PINGS),
  },
  {
    name: "settings whose answers are taken",
    isFlood: true,
    ends: "connection",
    send: (peer) => flood(peer, () => SETTINGS),
  },
  {
    name: "window updates",
    isFlood: true,
    ends: "connection",
    send: (peer) => flood(peer, () => WINDOW_UPDATES),
  },
  {
    name: "priorities",
    isFlood: true,
    ends: "connection",
    send: (peer) => flood(peer, () => PRIORITIES),
  },
  {
    name: "empty data",
    isFlood: true,
    ends: "connection",
    send: async (peer) => {
      await peer.write(
        Buffer.concat([HELLO, open(post("/api/plans", "application/json"), FLAG.endHeaders)]),
      );
      await flood(peer, () => EMPTY_DATA, Buffer.alloc(0));
    },
  },
  {
    name: "headers that are a thousand times as large when they are decompressed",
    isFlood: true,
    ends: "connection",
    send: (peer) => flood(peer, compressedHeaders),
  },
];
