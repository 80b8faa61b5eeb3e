import { readFileSync } from "node:fs";
import { parse } from "yaml";
import * as z from "zod";
import type { Principal } from "../../identity/index.js";
import { kindOf } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import { ROLE_RULE, roleName } from "@steward/kernel/role-name.js";
import { NAME_KINDS, nameKey } from "./certificate-names.js";

/** Characters in the id of a person or an agent. */
const ID_LENGTH_MAX = 255;

const NAMES = NAME_KINDS.join(", ");
const text = z.string("must be a text").min(1, "must not be empty");
const id = text.max(ID_LENGTH_MAX, `must not be longer than ${String(ID_LENGTH_MAX)} characters`);
const names = z.array(id, "must be a list of names").default([]);
const roles = z
  .array(
    text.refine((name) => roleName(name) !== undefined, ROLE_RULE),
    "must be a list of names",
  )
  .default([]);

const client = z
  .strictObject(
    {
      subject: text.optional(),
      uri: text.optional(),
      dns: text.optional(),
      email: text.optional(),
      org: z.uuid("must be the UUID of the organization"),
      user: id.optional(),
      agent: id.optional(),
      roles,
      permissions: names,
    },
    {
      error: ({ code }) =>
        code === "unrecognized_keys"
          ? `may hold ${NAMES}, org, user, agent, roles and permissions only`
          : `must hold one of ${NAMES}, and org`,
    },
  )
  .refine((found) => NAME_KINDS.filter((kind) => found[kind] !== undefined).length === 1, {
    error: `must name the certificate by exactly one of ${NAMES}`,
  });

const content = z.strictObject(
  { clients: z.array(client, "must be a list of clients") },
  "must hold the key clients and no other",
);

/**
 * Parses the file that maps certificates to callers, by names in the format of `nameKey`.
 * @throws AppError `INVALID_ARGUMENT` naming the mistake and its position.
 */
export function readClientsFile(file: string): ReadonlyMap<string, Principal> {
  const parsed = content.safeParse(parsedYaml(file));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw wrong(file, `${placeOf(issue?.path ?? [])}${issue?.message ?? ""}`);
  }
  const principals = new Map<string, Principal>();
  for (const [index, each] of parsed.data.clients.entries()) {
    const [key = ""] = NAME_KINDS.flatMap((kind) => {
      const name = each[kind];
      return name === undefined ? [] : [nameKey(kind, name)];
    });
    if (principals.has(key)) throw wrong(file, `clients[${String(index)}]: ${key} is named before`);
    principals.set(key, principalOf(each));
  }
  return principals;
}

function parsedYaml(file: string): unknown {
  try {
    return parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw wrong(file, cause instanceof Error ? cause.message : "it cannot be read", cause);
  }
}

function principalOf({ org, user, agent, roles, permissions }: z.infer<typeof client>): Principal {
  const who = {
    ...(user === undefined ? {} : { userId: user }),
    ...(agent === undefined ? {} : { agentId: agent }),
    roles,
    permissions,
  };
  return { orgId: org.toLowerCase(), kind: kindOf(who), authenticatedBy: "mtls", ...who };
}

/** A path as a prefix of a message: `clients[2].org: `; empty for the file as a whole. */
function placeOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "";
  const place = path.map((key) =>
    typeof key === "number" ? `[${String(key)}]` : `.${String(key)}`,
  );
  return `${place.join("").slice(1)}: `;
}

function wrong(file: string, reason: string, cause?: unknown): AppError {
  return new AppError("INVALID_ARGUMENT", `SERVICE_MTLS_CLIENTS: ${file}: ${reason}`, { cause });
}
