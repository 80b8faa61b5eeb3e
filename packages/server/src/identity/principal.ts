import type { X509Certificate } from "node:crypto";
import type { Caller } from "@steward/kernel/caller.js";

/** Who a credential says is asking. The session and the ORM model are the request's own. */
export type Principal = Omit<Caller, "sessionId" | "ormModel">;

/** A principal, and for how long the credential need not be verified again. */
export interface Verified {
  readonly principal: Principal;
  /** Milliseconds since the epoch. */
  readonly untilMs: number;
}

/**
 * Verifies a bearer credential.
 * @param peerAddress IP address that it came from.
 * @throws AppError `UNAUTHENTICATED` when it is wrong, with a message that does not repeat it;
 * `STORE_UNAVAILABLE` or `IDENTITY_UNAVAILABLE` when it cannot be judged at present.
 */
export type VerifyCredential = (credential: string, peerAddress: string) => Promise<Verified>;

/**
 * Says who a client certificate belongs to, whose signature TLS has verified.
 * @throws AppError `UNAUTHENTICATED` when it belongs to nobody known, or is valid no more.
 */
export type VerifyCertificate = (certificate: X509Certificate) => Principal;
