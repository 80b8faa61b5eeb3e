import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import {
  StdioClientTransport,
  type StdioServerParameters,
} from "@modelcontextprotocol/client/stdio";
import { MCP_MESSAGES_MAX, MCP_RECEIVED_BYTES_MAX } from "../limits.js";

/** A process on stdio that may send a limited number of messages, each of a limited size. */
export class LimitedStdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #process: StdioClientTransport;
  readonly #onExceeded: (error: Error) => void;
  #count = 0;

  constructor(
    server: Pick<StdioServerParameters, "command" | "args" | "env" | "stderr">,
    onExceeded: (error: Error) => void,
  ) {
    this.#process = new StdioClientTransport({ ...server, maxBufferSize: MCP_RECEIVED_BYTES_MAX });
    this.#onExceeded = onExceeded;
  }

  /**
   * The SDK recognizes a process by this property and `pid`, and asks a process for its revision in
   * another way than a server on HTTP.
   */
  get stderr(): StdioClientTransport["stderr"] {
    return this.#process.stderr;
  }

  get pid(): number | null {
    return this.#process.pid;
  }

  start(): Promise<void> {
    this.#process.onclose = () => this.onclose?.();
    this.#process.onerror = (error) => this.onerror?.(error);
    this.#process.onmessage = (message) => {
      this.#receive(message);
    };
    return this.#process.start();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#process.send(message);
  }

  close(): Promise<void> {
    return this.#process.close();
  }

  #receive(message: JSONRPCMessage): void {
    this.#count += 1;
    if (this.#count <= MCP_MESSAGES_MAX) {
      this.onmessage?.(message);
      return;
    }
    this.#onExceeded(new Error(`the server sent more than ${String(MCP_MESSAGES_MAX)} messages`));
    // A process that reads nothing does not notice that its input has ended.
    if (this.pid !== null) process.kill(this.pid, "SIGKILL");
  }
}
