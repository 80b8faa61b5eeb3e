import type { Duplex } from "node:stream";
import pg from "pg";
import { MessageCheck } from "./postgres-messages.js";

/** Members of the driver's connection that its types do not declare. */
interface DriverConnection {
  /** Reads messages from a stream: the socket, or the TLS session on it. */
  attachListeners(stream: Duplex): void;
}

/**
 * The driver's client, protected against servers that violate the protocol. The driver parses
 * messages in the socket's `data` event, where an exception would crash the process. It throws for
 * an unknown authentication method, a truncated message, or a negative length. This class closes
 * the connection instead, so that the running statement fails.
 */
export class PostgresClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    containParser(this.connection);
  }
}

/** Closes a connection with the parser's error when it reads a malformed message. */
export function containParser(connection: pg.Connection): void {
  // The driver's types lack `attachListeners`, which handles both plain and TLS sockets.
  const driver = connection as unknown as DriverConnection;
  const attach = driver.attachListeners.bind(driver);
  driver.attachListeners = (stream) => {
    const before = new Set(stream.listeners("data"));
    attach(stream);
    for (const listener of stream.listeners("data")) {
      if (before.has(listener)) continue;
      // The driver's listener takes a chunk of bytes.
      const read = listener as (chunk: Buffer) => void;
      const check = new MessageCheck();
      stream.off("data", read);
      stream.on("data", (chunk: Buffer) => {
        try {
          check.push(chunk);
          read(chunk);
        } catch (error) {
          stream.destroy(error instanceof Error ? error : new Error("malformed message"));
        }
      });
    }
  };
}
