import {
  recordedCaller,
  type Caller,
  type RecordedCaller,
  type RequestOrigin,
} from "@steward/kernel/caller.js";

/** Who asked for a change, and with which request: what the audit log stores of it. */
export interface Origin {
  readonly caller: RecordedCaller;
  /** Absent: the service worked for the caller by itself. */
  readonly request: RequestOrigin | undefined;
  /** The version of the policies that permitted it; absent: none was asked, or it is not known. */
  readonly policyVersion?: string | undefined;
}

/** The origin of what a caller asks for. */
export function originOf(caller: Caller, policyVersion?: string): Origin {
  return { caller: recordedCaller(caller), request: caller.request, policyVersion };
}
