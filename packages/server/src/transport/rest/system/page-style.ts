/**
 * The style sheet of every page; exported so that the content security policy can allow only this
 * one.
 */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: light-dark(#1554b0, #8ab8ff); }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h1 small { font-weight: 400; opacity: .65; font-size: .55em; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
h3 { margin: 2.2rem 0 .4rem; }
a { color: var(--accent); }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: .4rem; padding: .7rem .9rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); }
nav ul { list-style: none; padding: 0; }
.method { display: inline-block; min-width: 4.2em; font-weight: 600; color: var(--accent); }
.about { white-space: pre-line; }
`;
