import type { X509Certificate } from "node:crypto";
import type { Caller } from "@steward/kernel/caller.js";

/** The owner of a credential. The session and the ORM model belong to the request instead. */
export type Principal = Omit<Caller, "sessionId" | "ormModel">;

/** A principal, and how long the credential need not be verified again. */
export interface Verified {
  readonly principal: Principal;
  /** Milliseconds since the epoch. */
  readonly untilMs: number;
}

/**
 * Verifies a bearer credential.
 * @param clientAddress IP address of the client.
 * @throws AppError `UNAUTHENTICATED` when it is wrong, with a message that does not repeat it;
 * `STORE_UNAVAILABLE` or `IDENTITY_UNAVAILABLE` when it cannot be verified now.
 */
export type VerifyCredential = (credential: string, clientAddress: string) => Promise<Verified>;

/**
 * Finds the owner of a client certificate whose signature TLS has verified.
 * @throws AppError `UNAUTHENTICATED` when the owner is unknown, or the certificate has expired.
 */
export type VerifyCertificate = (certificate: X509Certificate) => Principal;
