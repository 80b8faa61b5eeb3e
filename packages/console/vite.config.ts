import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/**
 * What every page needs, in two files: twelve small ones, which the bundler makes by itself, are two
 * kilobytes larger when compressed.
 */
const SHARED_FILES = [
  {
    name: "vendor",
    test: /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack)\//,
  },
  {
    name: "shared",
    test: /packages\/(client\/dist|console\/src\/(texts\.ts|data|ui\/(agent-text|class|button|badge|states|page|time|facets|field)))/,
  },
];

/** Where `npm run dev` finds a server: the address of `npm start`. */
const SERVER = "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react(), tailwind()],
  // The server replaces this text in each answer with a nonce of its own.
  html: { cspNonce: "CSP_NONCE" },
  build: {
    target: "es2023",
    // Inlined files would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: { output: { codeSplitting: { groups: SHARED_FILES } } },
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": SERVER, "/auth": SERVER, "/billing": SERVER, "/healthz": SERVER } },
});
