import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from "@modelcontextprotocol/client";
import { shortened } from "./call-result.js";
import { AccessRefused } from "./oauth/index.js";
import { PersonAsked } from "./person-asked.js";

/** What is known of a call that has no result. */
export interface CallFailure {
  /**
   * True when the server certainly did not run the tool, or reports itself that the call failed.
   */
  readonly isAnswered: boolean;
  /** Whether the cause may be gone at the next attempt; absent: it stays until somebody removes it. */
  readonly mayPass?: boolean;
  readonly message: string;
}

/** Errors of the system with which a connection fails before anything is sent. */
const NOT_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

/** HTTP statuses of a server that is busy: Request Timeout and Too Many Requests. */
const BUSY = new Set([408, 429]);

const BROKEN = "the connection broke";
const TOO_LONG: CallFailure = { isAnswered: false, mayPass: true, message: "it took too long" };

/** Why a request to another MCP server failed. Secrets of the request are in none of the texts. */
export function failureOf(error: unknown): CallFailure {
  if (error instanceof AccessRefused || error instanceof PersonAsked) {
    return { isAnswered: true, message: error.message };
  }
  if (error instanceof InsufficientScopeError) {
    return { isAnswered: true, message: scopeMessage(error) };
  }
  if (error instanceof ProtocolError) {
    return { isAnswered: true, message: `the server answers: ${shortened(error.message)}` };
  }
  if (error instanceof SdkHttpError) {
    const { status } = error;
    const mayPass = status >= 500 || BUSY.has(status);
    return { isAnswered: status < 500, mayPass, message: httpMessage(status) };
  }
  if (error instanceof SdkError) {
    return error.cause instanceof Error ? failureOf(error.cause) : sdkFailure(error);
  }
  if (!(error instanceof Error)) return { isAnswered: false, message: "the connection failed" };
  const code = codeOf(error);
  if (NOT_SENT.has(code)) {
    return { isAnswered: true, mayPass: true, message: `it cannot be reached (${code})` };
  }
  if (code === "ENOENT") return { isAnswered: true, message: "its program was not found" };
  if (code !== "" || error.message === "fetch failed") {
    const message = code === "" ? BROKEN : `${BROKEN} (${code})`;
    return { isAnswered: false, mayPass: true, message };
  }
  if (error.name === "TimeoutError") return TOO_LONG;
  if (error instanceof SyntaxError || error instanceof RangeError || /ZodError/.test(error.name)) {
    return { isAnswered: false, message: "its answer is not a message of MCP" };
  }
  return { isAnswered: false, message: shortened(error.message) };
}

function sdkFailure({ code, message }: SdkError): CallFailure {
  switch (code) {
    case SdkErrorCode.RequestTimeout:
      return TOO_LONG;
    case SdkErrorCode.ConnectionClosed:
      return { isAnswered: false, mayPass: true, message: BROKEN };
    case SdkErrorCode.InvalidResult:
      return { isAnswered: false, message: "its answer is not the result of a tool" };
    default:
      return { isAnswered: false, message: shortened(message) };
  }
}

function httpMessage(status: number): string {
  if (status === 401 || status === 403) {
    return `it refuses the credential (HTTP ${String(status)}): correct its entry in the tools file, or sign in with \`steward tools login\``;
  }
  if (status >= 300 && status < 400) {
    return `it redirects elsewhere (HTTP ${String(status)}), which is not followed: correct the url in the tools file`;
  }
  return `it answers with HTTP ${String(status)}`;
}

function scopeMessage({ requiredScope }: InsufficientScopeError): string {
  const scope = requiredScope === undefined ? "another scope" : shortened(requiredScope);
  return (
    `its tokens need the scope ${scope} as well: give it as oauth.scope in the tools file, ` +
    "and sign in again with `steward tools login`"
  );
}

/** The system's code of an error, or of what caused it; empty without one. */
function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === "string" && /^(E|UND_ERR_)[A-Z]+/.test(code)) return code;
  return error.cause instanceof Error ? codeOf(error.cause) : "";
}
