import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { createClient } from "./client.js";
import { json, scriptedServer } from "./testing/scripted-server.js";

function startStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(": open\n\n");
}

function send(response: ServerResponse, sequence: number, type = "PlanStepExecuted"): void {
  const event = { plan_id: "p", event_type: type, payload_json: "{}", timestamp: "t", sequence };
  response.write(`id: ${String(sequence)}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
}

async function sequences(
  url: string,
  options?: { readonly afterSequence?: number; readonly signal?: AbortSignal },
): Promise<number[]> {
  const seen: number[] = [];
  const client = createClient({ baseUrl: url });
  for await (const event of client.plans.watch("p", options)) seen.push(event.sequence);
  return seen;
}

describe("watching a plan", () => {
  it("gives every event once, in order, across broken and ended connections", async () => {
    await using server = await scriptedServer((_request, response, index) => {
      if (index === 2) {
        json(response, 503, { error: "starting", code: "OVERLOADED" });
        return;
      }
      startStream(response);
      if (index === 0) {
        [1, 2].forEach((sequence) => send(response, sequence));
        setTimeout(() => response.destroy(), 20);
      } else if (index === 1) {
        [2, 3].forEach((sequence) => send(response, sequence));
        response.end();
      } else {
        send(response, 4, "PlanCompleted");
        response.end();
      }
    });
    expect(await sequences(server.url)).toEqual([1, 2, 3, 4]);
    const cursors = server.seen.map(({ headers }) => headers["last-event-id"]);
    expect(cursors).toEqual(["0", "2", "3", "3"]);
  });

  it("starts after the sequence it is given", async () => {
    await using server = await scriptedServer((_request, response) => {
      startStream(response);
      send(response, 8, "PlanCancelled");
      response.end();
    });
    expect(await sequences(server.url, { afterSequence: 7 })).toEqual([8]);
    expect(server.seen[0]?.headers["last-event-id"]).toBe("7");
  });

  it("ends at once when the cursor is at the end of a plan that is over", async () => {
    await using server = await scriptedServer((_request, response) => {
      response.writeHead(204).end();
    });
    expect(await sequences(server.url, { afterSequence: 9 })).toEqual([]);
    expect(server.seen).toHaveLength(1);
  });

  it("ends with the refusal that the server tells", async () => {
    await using server = await scriptedServer((_request, response) => {
      startStream(response);
      send(response, 1);
      const refusal = { error: "The API key was revoked", code: "UNAUTHENTICATED" };
      response.end(`event: error\ndata: ${JSON.stringify(refusal)}\n\n`);
    });
    await expect(sequences(server.url)).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
      message: "The API key was revoked",
    });
    expect(server.seen).toHaveLength(1);
  });

  it("goes on when a failed plan was retried while the stream was open", async () => {
    await using server = await scriptedServer((_request, response) => {
      startStream(response);
      send(response, 1, "PlanFailed");
      send(response, 2, "PlanRetried");
      send(response, 3, "PlanCompleted");
      response.end();
    });
    expect(await sequences(server.url)).toEqual([1, 2, 3]);
  });

  it("does not try again what the server refuses", async () => {
    await using server = await scriptedServer((_request, response) => {
      json(response, 404, { error: "Unknown plan", code: "PLAN_NOT_FOUND" });
    });
    await expect(sequences(server.url)).rejects.toMatchObject({ code: "PLAN_NOT_FOUND" });
    expect(server.seen).toHaveLength(1);
  });

  it("is refused at once by what is no Steward server", async () => {
    await using server = await scriptedServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<p>hello</p>");
    });
    await expect(sequences(server.url)).rejects.toMatchObject({
      code: "BAD_RESPONSE",
      message: `${server.url} answered 200, but not as Steward does`,
    });
    expect(server.seen).toHaveLength(1);
  });

  it("gives up early where no connection was ever opened", async () => {
    await using server = await scriptedServer((_request, response) => {
      response.destroy();
    });
    await expect(sequences(server.url)).rejects.toMatchObject({ code: "UNREACHABLE" });
    expect(server.seen).toHaveLength(4);
  });

  it("is ended by its signal, and lets go of the connection when the loop is left", async () => {
    const closed: number[] = [];
    await using server = await scriptedServer((_request, response, index) => {
      startStream(response);
      send(response, 1);
      response.on("close", () => closed.push(index));
    });
    const abort = new AbortController();
    setTimeout(() => {
      abort.abort(new Error("enough"));
    }, 50);
    await expect(sequences(server.url, { signal: abort.signal })).rejects.toThrow("enough");
    for await (const event of createClient({ baseUrl: server.url }).plans.watch("p")) {
      if (event.sequence === 1) break;
    }
    await expect.poll(() => closed).toEqual([0, 1]);
  });
});
