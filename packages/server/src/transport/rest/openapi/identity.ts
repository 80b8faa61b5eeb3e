/** Who may send the requests of a route: everybody, any caller, or billing admins. */
import { present } from "../../../kernel/present.js";
export type Access = "anybody" | "caller" | "billing-admin";

/** One way to authenticate: the schemes that a request must satisfy together. */
type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** How OpenAPI describes a header that a request may send. */
interface HeaderParameter {
  readonly name: string;
  readonly in: "header";
  readonly required: false;
  readonly description: string;
  readonly schema: { readonly type: "string"; readonly format?: string };
  readonly example: string;
}

/** The part of an operation with its access and parameters. */
export interface SecuredOperation {
  readonly security?: readonly SecurityRequirement[];
  readonly parameters?: readonly unknown[];
}

/** The authentication schemes of routes (Contract §5). */
export const SECURITY_SCHEMES = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description:
      "An API key (stw_…) or a JSON Web Token, where SERVICE_AUTH accepts them. It alone names the caller.",
  },
  organization: {
    type: "apiKey",
    in: "header",
    name: "x-org-id",
    description:
      "UUID of the organization that the request is sent for. In production a trusted proxy sets it.",
  },
  billingRole: {
    type: "apiKey",
    in: "header",
    name: "x-user-role",
    description:
      "The value admin, in any case, opens the billing endpoints; the operator's own need the value operator.",
  },
  billingPermission: {
    type: "apiKey",
    in: "header",
    name: "x-user-permissions",
    description:
      "A comma-separated list; the permission manage:billing opens the billing endpoints.",
  },
} as const;

/** The identity headers (Decision §2), as shared parameters of operations. */
export const IDENTITY_PARAMETERS: Readonly<Record<string, HeaderParameter>> = {
  OrgId: header(
    "x-org-id",
    "UUID of the organization; without it the nil UUID. Only its own plans, usage and memory are seen.",
    "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11",
    "uuid",
  ),
  SessionId: header("x-session-id", "Session of the agent", "session-42"),
  UserId: header("x-user-id", "The user on whose behalf the agent acts", "user-7"),
  UserRole: header("x-user-role", "Role of the user: one role, not a list", "admin"),
  UserPermissions: header(
    "x-user-permissions",
    "Permissions of the user, separated by commas",
    "manage:billing",
  ),
  AgentId: header("x-agent-id", "The agent that sends the request", "invoice-agent"),
  OrmModel: header(
    "x-orm-model",
    "The ORM model that the usage of the request is recorded under",
    "Invoice",
  ),
  RequestId: header(
    "x-request-id",
    "Id of the request in logs and in the answer; without it a new one",
    "req-0195a1c4",
  ),
};

/** The alternatives of authentication for a request. */
export function securityOf(access: Access): SecurityRequirement[] {
  switch (access) {
    case "anybody":
      return [];
    case "caller":
      // Without the header the request is for the nil organization.
      return [{ bearer: [] }, { organization: [] }, {}];
    case "billing-admin":
      return [{ bearer: [] }, { billingRole: [] }, { billingPermission: [] }];
  }
}

/** The operation, with references to the identity headers if it needs a caller. */
export function withIdentityHeaders<Operation extends SecuredOperation>(
  operation: Operation,
): Operation {
  const { security = [], parameters = [] } = operation;
  if (security.length === 0) return operation;
  const names = Object.keys(IDENTITY_PARAMETERS);
  const references = names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
  return { ...operation, parameters: [...parameters, ...references] };
}

function header(
  name: string,
  description: string,
  example: string,
  format?: string,
): HeaderParameter {
  const schema = { type: "string", ...present({ format }) } as const;
  return { name, in: "header", required: false, description, schema, example };
}
