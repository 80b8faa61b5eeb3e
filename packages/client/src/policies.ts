import type {
  NewPolicies,
  Policies as PoliciesInForce,
  PolicyAnswer,
  PolicyCheck,
  PolicyQuestion,
  PolicyTest,
  PolicyTestResult,
  PutPolicies,
} from "@steward/protocol/rest";
import type { Http } from "./http.js";
import type { CallOptions } from "./plans.js";

/** Policies: everything the server's `/api/policies` offers. Calls reject with a StewardError. */
export interface Policies {
  /** The organization's own policies, and those that every organization begins with. */
  show(options?: CallOptions): Promise<PoliciesInForce>;
  /** What is wrong with a text of policies. Nothing is kept. */
  check(text: string, options?: CallOptions): Promise<PolicyCheck>;
  /** Puts policies in force. Not tried again by itself: they follow one version only. */
  put(policies: NewPolicies, options?: CallOptions): Promise<PutPolicies>;
  /** Whether somebody may do something, by which policies, and why. */
  explain(question: PolicyQuestion, options?: CallOptions): Promise<PolicyAnswer>;
  /** Tries cases on the policies in force, or on a text of policies that is not kept. */
  test(cases: PolicyTest, options?: CallOptions): Promise<PolicyTestResult>;
}

/** Policies over HTTP. */
export function createPolicies(http: Http): Policies {
  return {
    show: ({ signal } = {}) => http.call({ method: "GET", path: PATH, idempotent: true, signal }),
    check: (text, { signal } = {}) =>
      http.call({
        method: "POST",
        path: `${PATH}/check`,
        body: { text },
        idempotent: true,
        signal,
      }),
    put: (body, { signal } = {}) =>
      http.call({ method: "PUT", path: PATH, body, idempotent: false, signal }),
    explain: (body, { signal } = {}) =>
      http.call({ method: "POST", path: `${PATH}/explain`, body, idempotent: true, signal }),
    test: (body, { signal } = {}) =>
      http.call({ method: "POST", path: `${PATH}/test`, body, idempotent: true, signal }),
  };
}

const PATH = "/api/policies";
