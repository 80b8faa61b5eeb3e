import type { WitnessAnswer, WitnessClient } from "../audit/witnesses/ports.js";
import { WITNESS_ANSWER_BYTES_MAX } from "../audit/witnesses/limits.js";
import { limitedText } from "./limited-text.js";

/** Asks witnesses with the fetch of Node.js. */
export class HttpWitnessClient implements WitnessClient {
  async post(url: string, body: string, signal: AbortSignal): Promise<WitnessAnswer> {
    try {
      const answer = await fetch(url, { method: "POST", body, redirect: "manual", signal });
      const text = await limitedText(answer, WITNESS_ANSWER_BYTES_MAX);
      return {
        status: answer.status,
        contentType: answer.headers.get("content-type") ?? "",
        body: text ?? "",
      };
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
      const reason = typeof code === "string" ? `no connection (${code})` : "no answer";
      throw new Error(`the witness could not be asked: ${reason}`, { cause: error });
    }
  }
}
