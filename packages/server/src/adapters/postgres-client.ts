import type { Duplex } from "node:stream";
import pg from "pg";
import { MessageCheck } from "./postgres-messages.js";

/** What the driver's connection has but does not declare. */
interface DriverConnection {
  /** Has the messages of a stream read: the socket's, or that of the TLS session on it. */
  attachListeners(stream: Duplex): void;
}

/**
 * The driver's client, safe from a server that breaks the protocol. The driver reads messages in the
 * socket's `data` event, where nothing catches what it throws: on an authentication method that it does
 * not know, on a message that ends too early, on a negative length. That would end the process. Here the
 * connection ends instead, and the statement that waits for an answer fails.
 */
export class PostgresClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    containParser(this.connection);
  }
}

/** Has a connection that reads a malformed message end with the parser's error. */
export function containParser(connection: pg.Connection): void {
  // The driver's types leave `attachListeners` out, which reads both plain sockets and TLS.
  const driver = connection as unknown as DriverConnection;
  const attach = driver.attachListeners.bind(driver);
  driver.attachListeners = (stream) => {
    const before = new Set(stream.listeners("data"));
    attach(stream);
    for (const listener of stream.listeners("data")) {
      if (before.has(listener)) continue;
      // What the driver attached takes a chunk of bytes.
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
