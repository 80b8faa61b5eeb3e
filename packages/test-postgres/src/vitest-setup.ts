import { offerSharedServer } from "./shared-server.js";

/** Called by vitest once before all files; what it returns, once after all. */
export default offerSharedServer;
