import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import { assert } from "@steward/kernel/assert.js";
import { BoundedTurns } from "@steward/kernel/concurrency/bounded-turns.js";
import { fastify } from "fastify";
import { serializerCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import type { ConsoleFiles } from "../console/console-files.js";
import { addConsoleFiles, answerViews } from "../console/console-routes.js";
import { HEADER_BYTES_MAX, REQUEST_BYTES_MAX, TURN_MS, TURN_REQUESTS_MAX } from "../limits.js";
import { restStreams } from "../http2/rest-streams.js";
import type { StreamListener } from "../http2/stream-listener.js";
import { requestIdOf } from "../request-context.js";
import type { Services } from "../services.js";
import { describeApi } from "./openapi/api-description.js";
import { authenticateRequests } from "./authenticate-requests.js";
import { addAuditRoutes } from "./audit/audit-routes.js";
import { addBillingRoutes } from "./billing/billing-routes.js";
import { answerConnectionErrors, endWith } from "./connection-errors.js";
import { answerError, answerErrors, refuseCodings, requireHost } from "./error-replies.js";
import { addEventRoutes } from "./plans/event-routes.js";
import { addAgentDocuments } from "./system/agent-documents.js";
import { addIndexRoute } from "./system/index-route.js";
import { readJsonBodies } from "./json-body.js";
import { addMcpRoute, type McpOptions } from "../mcp/http-route.js";
import { addProtectedResource } from "../mcp/protected-resource.js";
import { approvalOperations } from "../operations/approvals.js";
import { catalogOperations } from "../operations/catalog.js";
import { keyOperations } from "../operations/keys.js";
import { policyOperations } from "../operations/policies.js";
import { memoryOperations } from "../operations/memory.js";
import { addOperationRoutes } from "../operations/wires/rest-routes.js";
import { erasureOperations, retentionOperations } from "../operations/retention.js";
import { systemOperations } from "../operations/system.js";
import { webhookOperations } from "../operations/webhooks.js";
import { addMigrationRoutes } from "./schema/migration-routes.js";
import { addPlanRoutes } from "./plans/plan-routes.js";
import { addDescription } from "./openapi/rendered-description.js";
import { addReferencePage } from "./openapi/reference-page.js";
import { refuseForeignPages } from "./browser-requests.js";
import { encodeLargeReplies } from "./large-replies.js";
import { logRequests } from "./request-log.js";
import type { RestApp } from "./rest-app.js";
import { addMetricsRoute, addServiceRoutes } from "./system/service-routes.js";
import { addOpenIdRoutes } from "./session/openid-routes.js";
import { addSessionRoutes } from "./session/session-routes.js";
import { addStateRoutes } from "./state/state-routes.js";
import { RoutedPaths } from "./routed-paths.js";
import { setStandardHeaders, withStandardHeaders } from "./standard-headers.js";
import { UnreadAnswers } from "./unread-answers.js";
import { zodValidation } from "./validation/validation.js";

/** Options of the REST server beside its services. */
export interface RestOptions extends Pick<McpOptions, "protectedResource" | "mcp" | "toolsets"> {
  /** This program's version, for the API's description. */
  readonly version: string;
  /** Whether `/docs` and `/openapi.json` are served. */
  readonly docs: boolean;
  /** The console for browsers; absent: none is served. */
  readonly console?: ConsoleFiles | "not built" | undefined;
  readonly deadlines?: RestDeadlines;
}

/** Time limits of a connection, in ms. */
export interface RestDeadlines {
  /** From the connection, or the previous request, to the end of a request's headers. */
  readonly headersMs: number;
  /** From there to the end of its body. */
  readonly requestMs: number;
  /** How long a connection may stay open between two requests, in ms. */
  readonly keepAliveMs: number;
  /**
   * How long a client may leave an answer unread, in ms. A large piece of an answer has more time.
   */
  readonly unreadMs: number;
  /** Interval for checking the time limits, by which each of them may be exceeded. */
  readonly checkMs: number;
  /**
   * Between two comments on an event stream: shorter than the idle timeout of usual proxies, 60 s.
   */
  readonly heartbeatMs: number;
}

/** Long enough for slow links, but short for idle connections. */
const DEADLINES: RestDeadlines = {
  headersMs: 10_000,
  requestMs: 60_000,
  keepAliveMs: 60_000,
  unreadMs: 60_000,
  checkMs: 1_000,
  heartbeatMs: 15_000,
};

/**
 * Maximum length of one path segment in characters: more than a request line can have, so that the
 * id checks decide.
 */
const PATH_PART_LENGTH_MAX = 64 * 1024;

/** The REST server for a listener that owns the port and the connections. */
export interface RestServer {
  /** Handles the HTTP/1.1 connections from its `connection` event; it does not listen itself. */
  readonly http1: HttpServer;
  /** Handles the streams of HTTP/2 connections. */
  readonly http2: StreamListener;
  /** Ends the event streams; does not interrupt other requests. */
  close(): Promise<void>;
}

/** Opens REST (Contract §4.2, Decision §9), the same over HTTP/1.1 and HTTP/2. */
export async function openRestServer(
  services: Services,
  options: RestOptions,
): Promise<RestServer> {
  const deadlines = options.deadlines ?? DEADLINES;
  const paths = new RoutedPaths();
  const app = restApp(services, { ...options, deadlines, paths });
  await app.ready();
  startInTurns(app.server);
  const unread = new UnreadAnswers(app.server, deadlines);
  return {
    http1: app.server,
    http2: restStreams(app.server, { requestMs: deadlines.requestMs, unrouted: paths.answer }),
    close: async () => {
      await app.close();
      unread[Symbol.dispose]();
    },
  };
}

/**
 * Starts requests that arrive together over HTTP/1.1 in several turns of the event loop; those over
 * HTTP/2 come from their connections in the same way.
 */
function startInTurns(server: HttpServer): void {
  const [serve] = server.listeners("request");
  assert(serve !== undefined, "fastify listens to the requests of its server");
  // The listener that fastify has added.
  const handle = serve as (request: IncomingMessage, response: ServerResponse) => void;
  const turns = new BoundedTurns({ startsMax: TURN_REQUESTS_MAX, turnMs: TURN_MS });
  server.off("request", handle);
  server.prependListener("request", (request, response) => {
    if (request.httpVersionMajor > 1) {
      handle(request, response);
      return;
    }
    const { remoteAddress, remotePort } = request.socket;
    turns.enter(
      () => `${String(remoteAddress)}:${String(remotePort)}`,
      () => handle(request, response),
    );
  });
}

/** The OpenAPI document of the routes, as JSON. */
export async function describedRoutes(version: string): Promise<string> {
  // The routes are only described and never called, so they need no services.
  const services = {} as Services;
  const app = restApp(services, {
    ...{ version, deadlines: DEADLINES, paths: new RoutedPaths() },
    docs: true,
    isDescribed: true,
  });
  await app.ready();
  return JSON.stringify(app.swagger());
}

/** Options of the application. */
interface AppOptions extends RestOptions {
  readonly deadlines: RestDeadlines;
  readonly paths: RoutedPaths;
  /** Whether `app.swagger()` is needed, which costs time and memory. */
  readonly isDescribed?: boolean;
}

function restApp(services: Services, options: AppOptions): RestApp {
  const { version, docs, deadlines, paths, protectedResource, isDescribed = false } = options;
  const { log } = services;
  const files = options.console === "not built" ? undefined : options.console;
  const app = fastify({
    http: {
      headersTimeout: deadlines.headersMs,
      requestTimeout: deadlines.requestMs,
      connectionsCheckingInterval: deadlines.checkMs,
      requireHostHeader: false,
      maxHeaderSize: HEADER_BYTES_MAX,
    },
    requestTimeout: deadlines.requestMs,
    keepAliveTimeout: deadlines.keepAliveMs,
    bodyLimit: REQUEST_BYTES_MAX,
    routerOptions: { maxParamLength: PATH_PART_LENGTH_MAX },
    genReqId: (request) => requestIdOf(request.headers, services.ids),
    // A request that arrives while the server closes is answered like any other.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      answerError(error, request, withStandardHeaders(request, reply), log);
    },
    clientErrorHandler: answerConnectionErrors(paths.answer),
  }).withTypeProvider<ZodTypeProvider>();

  // Unknown expectations are ignored (RFC 9110 §10.1.1); Node would answer with a bare 417.
  app.server.on("checkExpectation", (request, response) => {
    app.server.emit("request", request, response);
  });
  // Node makes no response for CONNECT, and closes the connection without a listener.
  app.server.on("connect", ({ url = "" }, socket) => {
    endWith(socket, paths.answer("CONNECT", url));
  });
  app.setValidatorCompiler(zodValidation("INVALID_ARGUMENT"));
  app.setSerializerCompiler(serializerCompiler);
  encodeLargeReplies(app);
  readJsonBodies(app);
  setStandardHeaders(app);
  logRequests(app, services);
  answerErrors(app, log);
  requireHost(app);
  refuseForeignPages(app);
  refuseCodings(app);
  if (files !== undefined) answerViews(app, files);
  paths.watch(app);
  if (isDescribed) describeApi(app, version);
  app.register((api, _options, done) => {
    authenticateRequests(api, services, "caller");
    addPlanRoutes(api, services.orchestrator);
    addEventRoutes(api, services, deadlines.heartbeatMs);
    addOperationRoutes(api, memoryOperations(services));
    addOperationRoutes(api, catalogOperations(services));
    addOperationRoutes(api, keyOperations(services));
    addOperationRoutes(api, policyOperations(services));
    addOperationRoutes(api, retentionOperations(services));
    addAuditRoutes(api, services.audit);
    addOperationRoutes(api, approvalOperations(services));
    addOperationRoutes(api, webhookOperations(services));
    addOperationRoutes(api, erasureOperations(services));
    addStateRoutes(api, services);
    addMigrationRoutes(api, services.migrations);
    done();
  });
  app.register((billing, _options, done) => {
    authenticateRequests(billing, services, "billing-admin");
    addBillingRoutes(billing, services);
    done();
  });
  app.register((watching, _options, done) => {
    authenticateRequests(watching, services, "caller");
    addMetricsRoute(watching, services);
    addOperationRoutes(watching, systemOperations(services));
    done();
  });
  app.register((mcp, _options, done) => {
    addMcpRoute(mcp, services, options);
    done();
  });
  app.register((open, _options, done) => {
    if (protectedResource !== undefined) addProtectedResource(open, protectedResource);
    addIndexRoute(open, { version, docs, console: options.console });
    if (files !== undefined) addConsoleFiles(open, files);
    addServiceRoutes(open, services);
    addSessionRoutes(open, services, version);
    const openid = isDescribed ? undefined : services.signIn.openid;
    if (openid !== undefined) addOpenIdRoutes(open, services, openid);
    if (docs) {
      addAgentDocuments(open, protectedResource !== undefined);
      addDescription(open, version);
      addReferencePage(open, version);
    }
    done();
  });
  return app;
}
