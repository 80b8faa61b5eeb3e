import * as z from "zod";
import type { Message } from "./envelope.js";

const names = z.array(z.string()).readonly();
const time = z.string().meta({ format: "date-time" });

const sessionCallerShape = {
  org_id: z.string().describe("The organization that requests are sent for"),
  kind: z.enum(["person", "agent", "apiKey", "anonymous"]).describe("What sends the requests"),
  authenticated_by: z
    .enum(["headers", "proxy", "jwt", "apikey", "mtls"])
    .describe("How the caller's identity was established"),
  user_id: z.string().exactOptional().describe("The person"),
  agent_id: z.string().exactOptional().describe("The agent"),
  key_id: z.string().exactOptional().describe("Id of the API key"),
  roles: names.describe("Roles of the caller"),
  permissions: names.describe("Permissions of the caller"),
  scopes: names.exactOptional().describe("Scopes that limit the API key; absent: no further limit"),
};

/** The identity behind a request. */
export interface SessionCaller extends Message<typeof sessionCallerShape> {}

const EXAMPLE_CALLER = {
  ...{ org_id: "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11", kind: "person", authenticated_by: "jwt" },
  ...{ user_id: "ada", roles: ["admin"], permissions: [] },
} as const;

const sessionCallerSchema: z.ZodType<SessionCaller> = z.object(sessionCallerShape).meta({
  id: "SessionCaller",
  description: "The identity of a caller",
  examples: [EXAMPLE_CALLER],
});

const sessionShape = {
  /** Absent: the server accepts no request without a credential. */
  caller: sessionCallerSchema
    .exactOptional()
    .describe("The identity of this request; absent: sign in first"),
  actions: names.describe("What the caller may do in its organization, such as plans:read"),
  /** RFC 3339, UTC. Absent: the caller has no session of a browser. */
  expires_at: time
    .exactOptional()
    .describe("When the browser's session ends at the latest, in UTC; absent: there is none"),
  /** Whether the caller may send another `x-org-id`, as on a server that verifies no identity. */
  chooses_organization: z
    .boolean()
    .describe("Whether the caller may name any organization in x-org-id"),
  sign_in_methods: z
    .array(z.enum(["none", "api_key", "openid"]))
    .readonly()
    .describe("How people sign in with a browser; none: requests without a credential are served"),
  version: z.string().describe("Version of the server"),
};

/** The caller and its rights, for a console. */
export interface Session extends Message<typeof sessionShape> {}

export const sessionSchema: z.ZodType<Session> = z.object(sessionShape).meta({
  id: "Session",
  description: "Who the caller is and what it may do",
  examples: [
    {
      caller: EXAMPLE_CALLER,
      actions: ["plans:read", "plans:submit"],
      expires_at: "2026-03-01T21:30:00.000Z",
      chooses_organization: false,
      sign_in_methods: ["api_key", "openid"],
      version: "0.1.0",
    },
  ],
});

const signInShape = {
  api_key: z.string().min(1).max(1024).describe("An API key, stw_…"),
};

/** The credential that a person exchanges for a session. */
export interface SignIn extends Message<typeof signInShape> {}

export const signInSchema: z.ZodType<SignIn> = z.strictObject(signInShape).meta({
  id: "SignIn",
  description: "An API key to exchange for a session of the browser",
  examples: [{ api_key: "stw_live_5f3c9a2be1d04c7788aa0f12_…" }],
});

const signedInShape = {
  expires_at: time.describe("When the session ends at the latest, in UTC"),
};

/** The answer to a sign-in; the session itself is in a cookie. */
export interface SignedIn extends Message<typeof signedInShape> {}

export const signedInSchema: z.ZodType<SignedIn> = z.object(signedInShape).meta({
  id: "SignedIn",
  description: "The browser is signed in",
  examples: [{ expires_at: "2026-03-01T21:30:00.000Z" }],
});

const signedOutShape = {
  signed_out: z.literal(true).describe("No server accepts the session any more"),
};

/** The answer to a sign-out. */
export interface SignedOut extends Message<typeof signedOutShape> {}

export const signedOutSchema: z.ZodType<SignedOut> = z.object(signedOutShape).meta({
  id: "SignedOut",
  description: "The browser is signed out",
  examples: [{ signed_out: true }],
});
