/** Witnesses of one log; verifiers need not read more signatures of a note (C2SP signed-note). */
export const WITNESSES_MAX = 15;

/** Pause between two looks for a checkpoint that a witness has not cosigned yet, in ms. */
export const WITNESS_POLL_MS = 10_000;

/** Time limit of a witness's answer, in ms. */
export const WITNESS_TIMEOUT_MS = 20_000;

/** Bytes of a witness's answer that are read at most. */
export const WITNESS_ANSWER_BYTES_MAX: number = 16 * 1024;
