import {
  request as requestHttp,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from "node:http";
import { request as requestHttps } from "node:https";
import {
  SinkBusy,
  type AuditSink,
  type ExportedEvent,
  type ExportTarget,
} from "../../audit-export/ports.js";
import type { SinkOptions } from "./open-sink.js";

type HttpTarget = Extract<ExportTarget, { kind: "http" }>;

/**
 * Posts events to a collector. A batch is acknowledged by a status of 2xx; any other answer, and no
 * answer, mean that it is sent again. Redirects are not followed.
 */
export class HttpSink implements AuditSink {
  readonly name: string;
  readonly #target: HttpTarget;
  readonly #options: SinkOptions;

  constructor(name: string, target: HttpTarget, options: SinkOptions) {
    this.name = name;
    this.#target = target;
    this.#options = options;
  }

  async send(events: readonly ExportedEvent[], signal: AbortSignal): Promise<void> {
    const { statusCode, headers } = await this.#statusOf(events, signal);
    if (isTaken(statusCode)) return;
    const message = `the collector answered ${String(statusCode)}`;
    const retryAfterMs = pauseOf(headers["retry-after"], this.#options.clock.nowMs());
    if (retryAfterMs !== undefined) throw new SinkBusy(message, retryAfterMs);
    throw new Error(message);
  }

  /**
   * Resolves when the collector takes what this server sends; sends it no event. Collectors refuse a batch without events in their own ways,
   * but not as they refuse an unknown sender.
   */
  async reach(signal: AbortSignal): Promise<void> {
    const { statusCode } = await this.#statusOf([], signal);
    if (isTaken(statusCode) || EMPTY_REFUSED.has(statusCode)) return;
    throw new Error(`the collector answered ${String(statusCode)}`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  async #statusOf(
    events: readonly ExportedEvent[],
    signal: AbortSignal,
  ): Promise<{ readonly statusCode: number; readonly headers: IncomingHttpHeaders }> {
    const answer = await this.#post(this.#bodyOf(events), signal);
    const { statusCode = 0, headers } = answer;
    // The connection is free again once the answer is read; its text does not matter.
    answer.resume();
    return { statusCode, headers };
  }

  #bodyOf(events: readonly ExportedEvent[]): Buffer {
    const texts = events.map(({ json }) => json);
    if (this.#target.body === "array") return Buffer.from(`[${texts.join(",")}]`);
    return Buffer.from(texts.map((text) => `${text}\n`).join(""));
  }

  #post(body: Buffer, signal: AbortSignal): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = this.#request(body.length, signal);
      request.once("response", resolve);
      request.once("error", (error) => {
        // The texts of errors may hold the URL, so only the code is told.
        const code = "code" in error && typeof error.code === "string" ? error.code : "no answer";
        reject(new Error(`no answer of the collector (${code})`));
      });
      request.end(body);
    });
  }

  #request(length: number, signal: AbortSignal): ClientRequest {
    const { url, body } = this.#target;
    const { header, ca } = this.#options;
    const headers = {
      "content-type": body === "array" ? "application/json" : "application/x-ndjson",
      "content-length": length,
      ...(header === undefined ? {} : headerOf(header)),
    };
    const common = { method: "POST", headers, signal };
    if (new URL(url).protocol === "http:") return requestHttp(url, common);
    return requestHttps(url, { ...common, ...(ca === undefined ? {} : { ca }) });
  }
}

/** Bad Request, Length Required and Unprocessable Content: the batch is wrong, not its sender or its address. */
const EMPTY_REFUSED: ReadonlySet<number> = new Set([400, 411, 422]);

function isTaken(status: number): boolean {
  return status >= 200 && status < 300;
}

function headerOf(header: string): Readonly<Record<string, string>> {
  const at = header.indexOf(":");
  return { [header.slice(0, at)]: header.slice(at + 1).trim() };
}

/** The pause that a Retry-After asks for, in ms. @param value seconds, or a date. */
function pauseOf(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
