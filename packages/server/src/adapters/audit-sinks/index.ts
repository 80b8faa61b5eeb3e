/** Receivers of the exported audit log: files, syslog over TLS, and HTTP collectors. */
export { openRemoteSink, openSink, type SinkOptions } from "./open-sink.js";
