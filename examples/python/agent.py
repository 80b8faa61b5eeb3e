"""The loop of an agent: a model with the Chat Completions API, and tools. Python's own library only."""

import json, os, urllib.request

MODEL_URL = os.environ.get("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1")


def post(url, body, **headers):
    headers = {"content-type": "application/json", **headers}
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)


def ask(question, tools, run):
    """tools: name, description and schema of each; run(name, arguments) returns the text for the model."""
    functions = [dict(zip(("name", "description", "parameters"), tool)) for tool in tools]
    messages = [{"role": "user", "content": question}]
    while True:
        request = {
            "model": os.environ.get("MODEL", "qwen3"),
            "tools": [{"type": "function", "function": function} for function in functions],
            "messages": messages,
        }
        message = post(MODEL_URL + "/chat/completions", request)["choices"][0]["message"]
        messages.append(message)
        if not message.get("tool_calls"):
            return message["content"]
        for call in message["tool_calls"]:
            function = call["function"]
            text = run(function["name"], json.loads(function["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
