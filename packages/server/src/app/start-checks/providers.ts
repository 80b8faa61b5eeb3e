import { openProvider } from "../rooms/memory.js";
import { openPaymentProvider } from "../rooms/billing.js";
import { type Config, SETTINGS } from "../../config/index.js";
import { systemClock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import { systemIds } from "@steward/kernel/ids.js";
import { silentLog } from "@steward/kernel/log.js";
import { fail, ok, reasonOf } from "./finding.js";
import type { Finding } from "./finding.js";

/** Services of others, which may be away for a while; a server starts without them. */
export async function checkProviders(config: Config): Promise<readonly Finding[]> {
  const findings = await Promise.all([
    checkEmbedding(config),
    checkOpenId(config),
    checkPayments(config),
  ]);
  return findings.flat();
}

async function checkEmbedding({ embedding }: Config): Promise<readonly Finding[]> {
  const { provider, baseUrl } = embedding;
  if (provider === "zero" || provider === "hash") return [];
  const name = "embedding provider";
  const where = baseUrl === undefined ? provider : `${provider} at ${baseUrl}`;
  let problem: unknown;
  const log = { ...silentLog, warn: (fields: object) => (problem = "err" in fields && fields.err) };
  try {
    const parts = { clock: systemClock, ids: systemIds(systemClock), log, provider: undefined };
    await openProvider(embedding, parts);
  } catch (error) {
    problem = error;
  }
  if (problem === undefined) return [ok(name, `${where} answers`)];
  const names = [SETTINGS.embedding.provider, SETTINGS.embedding.baseUrl, SETTINGS.embedding.model];
  const fix = `correct ${names.map((setting) => setting.name).join(", ")} or the key`;
  return [fail(name, `${where}: ${messageOf(problem)}`, fix)];
}

async function checkOpenId({ auth: { jwt } }: Config): Promise<readonly Finding[]> {
  if (jwt === undefined) return [];
  const { IssuerKeys } = await import("../../adapters/identity-jwt/issuer-keys.js");
  const name = "OpenID provider";
  try {
    const keys = await new IssuerKeys({ ...jwt, clock: systemClock }).reach();
    return [ok(name, `${jwt.issuer} has ${String(keys)} public keys`)];
  } catch (error) {
    const fix = `correct ${SETTINGS.auth.jwt.issuer.name} or ${SETTINGS.auth.jwt.jwksUrl.name}, or the network`;
    return [fail(name, `${jwt.issuer}: ${messageOf(error)}`, fix)];
  }
}

/** Asks for a customer that does not exist, which changes nothing and needs the key. */
async function checkPayments(config: Config): Promise<readonly Finding[]> {
  const provider = await openPaymentProvider(config);
  if (provider === undefined) return [];
  const name = "payment provider";
  const where = config.payments?.apiBase ?? "Stripe";
  try {
    await provider.organizationNamedBy("cus_steward_doctor");
  } catch (error) {
    if (!(error instanceof AppError && error.code === "NOT_FOUND")) {
      const fix = `correct ${SETTINGS.payments.secretKey.name} or ${SETTINGS.payments.apiBase.name}`;
      return [fail(name, `${where}: ${messageOf(error)}`, fix)];
    }
  }
  return [ok(name, `${where} answers`)];
}

/** The service's words about the provider, and those of the network below. */
function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error) || thrown.cause === undefined) return reasonOf(thrown);
  return `${thrown.message} (${reasonOf(thrown.cause)})`;
}
