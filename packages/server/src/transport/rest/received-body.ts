import { errorCodes, type FastifyRequest } from "fastify";
import type { IncomingMessage } from "node:http";

/** The bytes of a body as they have arrived. */
export interface ReceivedBody {
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
}

/**
 * Receives the body of a request, up to the limit of its route. The chunks are not joined: for a large body, that
 * alone takes as long as a turn of the event loop should.
 * @param done gets Fastify's own errors when the body is too large, or not as long as its header says.
 */
export function receiveBody(
  { headers, routeOptions: { bodyLimit } }: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: ReceivedBody) => void,
): void {
  const length = Number(headers["content-length"]);
  if (length > bodyLimit) {
    done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  const finish = (error: Error | null): void => {
    payload.off("data", take).off("end", end).off("error", finish);
    if (error === null) done(null, { chunks, bytes });
    else done(error);
  };
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > bodyLimit) finish(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    else chunks.push(chunk);
  };
  const end = (): void => {
    const isWhole = headers["content-length"] === undefined || bytes === length;
    finish(isWhole ? null : new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH());
  };
  payload.on("data", take).on("end", end).on("error", finish).resume();
}
