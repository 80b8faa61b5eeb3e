import type { VerifierKey } from "../tree/index.js";

/** A witness that the operator trusts: it cosigns only checkpoints that continue the one before. */
export interface Witness {
  readonly key: VerifierKey;
  /** Where it takes checkpoints: the submission prefix of C2SP tlog-witness, without a slash at its end. */
  readonly url: string;
}

/** The newest checkpoint that a witness has cosigned. */
export interface CosignedCheckpoint {
  /** The witness's verifier key in its text form. */
  readonly witness: string;
  /** The number of records that the checkpoint covers. */
  readonly size: number;
  /** The checkpoint with the signature of the log and the cosignature. */
  readonly note: string;
}

/** The cosigned checkpoints, one for each witness. Errors: `STORE_UNAVAILABLE`. */
export interface CosignatureStore {
  list(): Promise<readonly CosignedCheckpoint[]>;
  /** Replaces the checkpoint of the witness, unless the stored one is larger. Durable when it resolves. */
  put(cosigned: CosignedCheckpoint): Promise<void>;
}

/** What a witness has answered. */
export interface WitnessAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The connection to witnesses. */
export interface WitnessClient {
  /** Posts a request. @throws Error when there is no answer; its message is safe for the log. */
  post(url: string, body: string, signal: AbortSignal): Promise<WitnessAnswer>;
}
