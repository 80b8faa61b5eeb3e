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

/** Policies: the routes under `/api/policies`. Calls reject with a StewardError. */
export interface Policies {
  /** The organization's own policies, and the shipped ones that apply to every organization. */
  show(options?: CallOptions): Promise<PoliciesInForce>;
  /** The problems of a policy text. Nothing is stored. */
  check(text: string, options?: CallOptions): Promise<PolicyCheck>;
  /**
   * Puts policies in force. Not retried automatically, because the request names the version that
   * it replaces.
   */
  put(policies: NewPolicies, options?: CallOptions): Promise<PutPolicies>;
  /** Whether a caller may perform an action, which policies decide, and why. */
  explain(question: PolicyQuestion, options?: CallOptions): Promise<PolicyAnswer>;
  /** Runs test cases against the policies in force, or against a draft that is not stored. */
  test(cases: PolicyTest, options?: CallOptions): Promise<PolicyTestResult>;
}

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
