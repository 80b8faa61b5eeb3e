/**
 * PostgreSQL for tests and measurements. *Server*: a cluster in a temporary directory, with the
 * process that runs it. *Keeper*: the process that starts a server and removes it completely when
 * its client has ended, even if the client was killed. *Test database*: a separate database on the
 * server that all files of a test run share.
 */
export { prepareOnCluster } from "./cluster-database.js";
export { PostgresServer, type PostgresServerOptions, type StopMode } from "./postgres-server.js";
export { freshDatabase, type TestDatabase } from "./test-database.js";
