import type { WebhookSender } from "../webhooks/ports.js";

/** Sends webhooks with the fetch of Node.js. */
export class HttpWebhookSender implements WebhookSender {
  async post(
    url: string,
    message: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
    signal: AbortSignal,
  ): Promise<number> {
    try {
      const answer = await fetch(url, {
        method: "POST",
        ...message,
        // Following a redirect would send the message to a host that the operator has not named.
        redirect: "manual",
        signal,
      });
      await answer.body?.cancel();
      return answer.status;
    } catch (error) {
      throw new Error(reasonOf(error), { cause: error });
    }
  }
}

/** The messages of fetch may contain the URL, so the reason is only the code of the failure. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" ? `no connection (${code})` : "no answer";
}
