import { hash } from "node:crypto";
import { AwsClient } from "aws4fetch";
import type { Environment } from "../../config/index.js";
import { CliError, usageError } from "../cli-error.js";
import { EXIT } from "../exit-code.js";
import type { ExportFiles } from "./export-files.js";

export const OBJECT_STORE_SCHEME = "s3://";

/** Time that the object store may take for one request, in ms. */
const ANSWER_MS = 60_000;

/** Number of times that a request is repeated when the object store is busy or fails. */
const RETRIES = 5;

/**
 * Files of a prefix in an object store with the interface of Amazon S3. Credentials, region and
 * endpoint come from the variables that AWS's own tools read. The bucket is part of the path and
 * not of the host, because all stores of this kind accept that.
 * @throws CliError when the URL or the credentials are missing or invalid.
 */
export function objectStoreFiles(target: string, env: Environment): ExportFiles {
  const base = `${endpointOf(env)}/${placeOf(target)}`;
  const client = clientOf(env);
  const request = async (method: "GET" | "PUT", path: string, body?: Uint8Array) => {
    const headers = {
      "x-amz-content-sha256": hash("sha256", body ?? "", "hex"),
      ...(body === undefined ? {} : { "content-type": "application/octet-stream" }),
    };
    const signal = AbortSignal.timeout(ANSWER_MS);
    try {
      // A copy, because a view may be a part of a larger buffer.
      const content = body === undefined ? null : new Uint8Array(body);
      return await client.fetch(`${base}/${path}`, { method, headers, signal, body: content });
    } catch (error) {
      throw unreachable(endpointOf(env), error);
    }
  };
  return {
    read: async (path) => {
      const response = await request("GET", path);
      if (response.status === 404 && (await codeOf(response)) === "NoSuchKey") return undefined;
      if (!response.ok) throw await refused("reading", `${target}/${path}`, response);
      return Buffer.from(await response.arrayBuffer());
    },
    write: async (path, content) => {
      const response = await request("PUT", path, content);
      if (!response.ok) throw await refused("writing", `${target}/${path}`, response);
      await response.arrayBuffer();
    },
  };
}

function clientOf(env: Environment): AwsClient {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey) {
    throw usageError(
      "An object store needs credentials",
      "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; for another store than Amazon S3, also AWS_ENDPOINT_URL_S3",
    );
  }
  const token = env["AWS_SESSION_TOKEN"];
  return new AwsClient({
    ...{ accessKeyId, secretAccessKey, service: "s3", region: regionOf(env), retries: RETRIES },
    ...(token ? { sessionToken: token } : {}),
  });
}

function regionOf(env: Environment): string {
  return env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || "us-east-1";
}

function endpointOf(env: Environment): string {
  const own = env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"];
  if (!own) return `https://s3.${regionOf(env)}.amazonaws.com`;
  const url = URL.canParse(own) ? new URL(own) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || url.username !== "") {
    throw usageError(
      "AWS_ENDPOINT_URL_S3 is not the URL of an object store",
      "set it to a URL such as https://storage.example.com, without a name or password",
    );
  }
  return own.replace(/\/+$/, "");
}

/** Bucket and prefix, as a path. */
function placeOf(target: string): string {
  const place = target.slice(OBJECT_STORE_SCHEME.length).replace(/\/+$/, "");
  const [bucket = "", ...prefix] = place.split("/");
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || prefix.some(isUnusable)) {
    throw usageError(
      `${target} is not a place in an object store`,
      "write it as s3://BUCKET or s3://BUCKET/PREFIX",
    );
  }
  return [bucket, ...prefix.map(encodeURIComponent)].join("/");
}

function isUnusable(part: string): boolean {
  return part === "" || part === "." || part === "..";
}

/** The store's own error code, such as `AccessDenied`. */
async function codeOf(response: Response): Promise<string | undefined> {
  return /<Code>(\w{1,64})<\/Code>/.exec(await response.text())?.[1];
}

async function refused(what: string, object: string, response: Response): Promise<CliError> {
  const status = String(response.status);
  const code = response.bodyUsed ? undefined : await codeOf(response);
  return new CliError(
    `The object store refused ${what} ${object}: ${code === undefined ? status : `${code} (${status})`}`,
    {
      exitCode: EXIT.failed,
      code: "OBJECT_STORE_REFUSED",
      fix: "check the bucket, AWS_REGION and the credentials, which need s3:GetObject, s3:PutObject and s3:ListBucket; then repeat the command: an export continues",
    },
  );
}

function unreachable(endpoint: string, error: unknown): CliError {
  const cause = error instanceof Error ? error.cause : undefined;
  const isCoded = cause instanceof Error && "code" in cause && typeof cause.code === "string";
  const isLate = error instanceof Error && error.name === "TimeoutError";
  const reason = isCoded ? String(cause.code) : isLate ? "no answer in time" : "the request failed";
  return new CliError(`The object store at ${endpoint} cannot be reached: ${reason}`, {
    exitCode: EXIT.unreachable,
    code: "OBJECT_STORE_UNREACHABLE",
    fix: "check AWS_ENDPOINT_URL_S3 and AWS_REGION, then repeat the command: an export continues",
    cause: error,
  });
}
