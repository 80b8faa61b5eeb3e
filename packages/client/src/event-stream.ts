import { StewardError } from "./steward-error.js";

/** One message of a `text/event-stream` (HTML Standard §9.2). */
export interface StreamMessage {
  readonly id?: string;
  readonly event?: string;
  /** The `data` lines, joined by line feeds. */
  readonly data: string;
}

/** Characters of one message, at most: far beyond any event, and no endless line fills the memory. */
const MESSAGE_LENGTH_MAX = 16 * 1024 * 1024;

/**
 * The messages of a stream, as they come. Comments, and a message that the end of the stream cuts
 * off, are left out. Ending the loop early cancels the stream.
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

/** Lines end with CR LF, LF or CR, wherever the chunks are cut. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      // A CR at the very end may be half of a CR LF: it stays with the rest.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      checkLength(rest.length);
      yield* lines;
    }
  } finally {
    // A stream that broke has nothing left to cancel, and has already said why.
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
