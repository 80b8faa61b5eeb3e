"""An agent with Steward's tools over MCP: python3 over_mcp.py "Who is the first customer?" """

import os, sys
from agent import ask, post

STEWARD = os.environ.get("STEWARD_URL", "http://127.0.0.1:8080")
REVISION = "2026-07-28"  # of MCP: no session, a call is one request
META = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientInfo": {"name": "python-example", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def mcp(method, **params):
    headers = {
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": REVISION,
        "mcp-method": method,
        "mcp-name": params.get("name", ""),
    }
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
    return post(STEWARD + "/mcp", request, **headers)["result"]


def run(name, arguments):
    return mcp("tools/call", name=name, arguments=arguments)["content"][0]["text"]


tools = [(tool["name"], tool["description"], tool["inputSchema"]) for tool in mcp("tools/list")["tools"]]
print(ask(sys.argv[1], tools, run))
