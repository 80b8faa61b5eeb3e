import type { FastifyRequest } from "fastify";
import type { SignIn } from "../services.js";

/** The address under which the sender's browser reaches this server, without a slash at its end. */
export function publicUrlOf(
  { host }: Pick<FastifyRequest, "host">,
  { publicUrl, isSecure }: Pick<SignIn, "publicUrl" | "isSecure">,
): string {
  return publicUrl?.replace(/\/+$/, "") ?? `${isSecure ? "https" : "http"}://${host}`;
}
