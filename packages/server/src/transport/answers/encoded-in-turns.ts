import { ANSWER_PIECE_BYTES } from "../limits.js";
import { oneAfterTheOther, turnOfPiece } from "./large-turns.js";

/** Whose answer it is. */
export interface Asker {
  readonly orgId: string;
  /** Aborted when nobody waits for the answer any more: the rest of it is not encoded then. */
  readonly signal: AbortSignal;
}

/** Whose requests are on a route that is open to everybody. */
const ANYBODY: Asker = { orgId: "", signal: new AbortController().signal };

/** The sender of a request, which has a context once it is authenticated. */
export function askerOf({ context = ANYBODY }: { readonly context?: Asker }): Asker {
  return context;
}

/** Makes the bytes of an answer, each piece in a turn of the event loop of its own. */
export function encodedInTurns(
  pieces: Iterator<string, void>,
  asker: Asker,
): Promise<readonly Buffer[]> {
  return oneAfterTheOther(asker.orgId, () => encodedPieces(pieces, asker));
}

async function encodedPieces(
  pieces: Iterator<string, void>,
  { orgId, signal }: Asker,
): Promise<readonly Buffer[]> {
  const encoded: Buffer[] = [];
  for (let isWhole = false; !isWhole && !signal.aborted;) {
    await turnOfPiece(orgId);
    let text = "";
    while (text.length < ANSWER_PIECE_BYTES && !isWhole) {
      const { done, value } = pieces.next();
      if (done === true) isWhole = true;
      else text += value;
    }
    encoded.push(Buffer.from(text));
  }
  return encoded;
}
