import { StewardError } from "./steward-error.js";

/** One message of a `text/event-stream` (HTML Standard §9.2). */
export interface StreamMessage {
  readonly id?: string;
  readonly event?: string;
  /** The `data` lines, joined by line feeds. */
  readonly data: string;
}

/**
 * Longest message, in characters. It is far beyond any event, and keeps an endless line from
 * filling the memory.
 */
const MESSAGE_LENGTH_MAX = 16 * 1024 * 1024;

/**
 * Parses the messages of a stream as they arrive. Comments are skipped, as is a message that the
 * end of the stream truncates. Leaving the loop early cancels the stream.
 */
export async function* readEventStream(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<StreamMessage, void> {
  let fields: string[] = [];
  let length = 0;
  for await (const line of readLines(body)) {
    length += line.length;
    checkLength(length);
    if (line !== "") {
      fields.push(line);
      continue;
    }
    const message = toMessage(fields);
    [fields, length] = [[], 0];
    if (message !== undefined) yield message;
  }
}

/** Splits into lines, which end with CR LF, LF or CR, independent of the chunks' boundaries. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      // A CR at the end of a chunk may be the first half of a CR LF, so it stays in the buffer.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      checkLength(rest.length);
      yield* lines;
    }
  } finally {
    // After a stream has failed, canceling it fails too; the first error was reported already.
    await reader.cancel().catch(() => undefined);
  }
}

function toMessage(lines: readonly string[]): StreamMessage | undefined {
  const data: string[] = [];
  let id: string | undefined;
  let event: string | undefined;
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") data.push(value);
    else if (name === "id") id = value;
    else if (name === "event") event = value;
  }
  if (data.length === 0) return undefined;
  return {
    data: data.join("\n"),
    ...(id === undefined ? {} : { id }),
    ...(event === undefined ? {} : { event }),
  };
}

function checkLength(length: number): void {
  if (length <= MESSAGE_LENGTH_MAX) return;
  throw new StewardError("BAD_RESPONSE", "The event stream holds a message without end");
}
