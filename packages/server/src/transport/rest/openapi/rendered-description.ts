import { AppError } from "@steward/kernel/errors.js";
import { WorkerThread } from "@steward/kernel/concurrency/worker-thread.js";
import type { RestApp } from "../rest-app.js";
import { largeDocument, sendDocument, type LargeDocument } from "./large-document.js";
import type { DescriptionCalls, DescriptionOptions } from "./description-worker.js";

/** By version: all servers of a process have the same routes. */
const rendered = new Map<string, Promise<string>>();

/** The OpenAPI document as JSON, generated in a thread on the first request. */
export function renderedDescription(version: string): Promise<string> {
  const found = rendered.get(version);
  if (found !== undefined) return found;
  const rendering = render({ version });
  rendered.set(version, rendering);
  rendering.catch(() => rendered.delete(version));
  return rendering;
}

/** Serves the description as `/openapi.json`. */
export function addDescription(app: RestApp, version: string): void {
  let document: Promise<LargeDocument> | undefined;
  app.get("/openapi.json", { schema: { hide: true } }, async (_request, reply) => {
    const text = await renderedDescription(version);
    document ??= largeDocument(text);
    void reply.header("content-type", "application/json; charset=utf-8");
    return sendDocument(reply, await document);
  });
}

async function render(options: DescriptionOptions): Promise<string> {
  await using thread = new WorkerThread<DescriptionCalls>({
    url: new URL("./description-worker.js", import.meta.url),
    data: options,
    // It must not keep an otherwise idle process alive.
    isBackground: true,
    handlers: {},
    goneError: (cause) =>
      new AppError(
        "INTERNAL",
        "The description of the API could not be rendered; send the request again",
        {
          cause,
        },
      ),
  });
  return await thread.call("describe", undefined);
}
