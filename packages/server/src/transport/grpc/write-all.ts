import type { ServerWritableStream } from "@grpc/grpc-js";

/**
 * Writes messages, and waits whenever the client does not keep up, so that at most one page of them
 * is in memory. It ends early when the caller has disconnected.
 */
export async function writeAll<Message>(
  call: ServerWritableStream<unknown, Message>,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<void> {
  for (const message of messages) {
    if (signal.aborted) return;
    if (!call.write(message)) await drained(call, signal);
  }
}

async function drained(
  call: ServerWritableStream<unknown, unknown>,
  signal: AbortSignal,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const proceed = (): void => {
      call.off("drain", proceed);
      signal.removeEventListener("abort", proceed);
      resolve();
    };
    call.on("drain", proceed);
    signal.addEventListener("abort", proceed);
  });
}
