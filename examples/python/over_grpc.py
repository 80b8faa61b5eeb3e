"""An agent that runs statements over gRPC. It needs Debian's protobuf-compiler, python3-grpcio and python3-protobuf:

protoc -I packages/protocol/proto --python_out=examples/python controlplane/v1/control_plane.proto
python3 examples/python/over_grpc.py "Who is the first customer?"
"""

import os, sys
import grpc
from agent import ask
from controlplane.v1 import control_plane_pb2 as messages

channel = grpc.insecure_channel(os.environ.get("STEWARD_GRPC", "127.0.0.1:8080"))


def call(method, **fields):
    request, response = (getattr(messages, method + kind) for kind in ("Request", "Response"))
    path = "/controlplane.v1.ControlPlaneService/" + method
    return channel.unary_unary(path, request.SerializeToString, response.FromString)(request(**fields))


def run(name, arguments):
    step = {"step_id": "a", "intent": "read_select", "query_template": arguments["sql"]}
    try:
        plan = call("SubmitPlan", steps=[step])
        done = call("ExecuteStep", plan_id=plan.plan_id, step_id="a")
    except grpc.RpcError as error:
        return error.details()
    update = done.llm_context_update
    return update.tool_output_json if done.success else "\n".join([done.error_message, *update.augmentation_hints])


schema = {"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"]}
print(ask(sys.argv[1], [("query", "Runs one SELECT and returns its rows as JSON", schema)], run))
