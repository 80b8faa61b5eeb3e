import type { ServerWritableStream } from "@grpc/grpc-js";

/**
 * Writes messages, waiting whenever the caller does not keep up, so that no more than a page of them
 * waits in memory. Ends early when nobody waits for them any more.
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
