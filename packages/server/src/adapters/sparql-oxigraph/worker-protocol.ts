import type { ErrorCode } from "@steward/protocol";
import type { JsonQuad, QueryAnswer } from "../../state/index.js";

/** What the thread is started with. */
export interface WorkerSettings {
  /** Name of the package that has the engine. */
  readonly packageName: string;
  /** Bytes of an answer's JSON at most. */
  readonly answerBytesMax: number;
}

/** What the thread is told. A dataset comes in pieces and takes the place of the one before. */
export type WorkerRequest =
  | { readonly kind: "begin" }
  | {
      readonly kind: "piece";
      /** Quads without blank nodes, as N-Quads. */
      readonly text: string;
      /** Those with blank nodes, whose labels the engine's reader would change. */
      readonly quads: readonly JsonQuad[];
    }
  | { readonly kind: "query"; readonly sparql: string };

/** What the thread says: when it can begin, and the answer to each query. */
export type WorkerMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "answered"; readonly answer: QueryAnswer }
  | { readonly kind: "failed"; readonly code: ErrorCode; readonly message: string };
