#!/usr/bin/env python3
"""Runs a negotiator against the steps of client.steps.json, with nothing but the standard library.

    python3 steps.py [--negotiator FILE.py] [--policy NAME]... [--verbose]

A negotiator is a Python file with two functions:

    begin(policy, medium) -> (state, commands)
    step(policy, medium, state, event) -> (state, commands)

`policy` is an entry of `policies` with the budgets of the walk, `medium` "stdio" or "http", `event` an entry of `events`.
`state` is whatever the negotiator likes, as a dict with at least `_tag`; of it and of an expected state `_tag`, `version`
and `asked` are compared where the negotiator's has them, and of a `reason` the error's `_tag`, `fault`, `retryable` and
whatever else it holds but its `message`. Of the commands those are compared that go over the wire or open a process:
what a server would see.
"""

import argparse
import importlib.util
import json
import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
SEEN = {"SendInitialize", "SendDiscover", "SendInitialized", "DeleteSession", "Reply", "Reopen"}


def main():
    options = arguments()
    data = json.loads((HERE.parent / "data" / "client.steps.json").read_text("utf-8"))
    negotiator = load(options.negotiator)
    policies = options.policy or ["pinned:2025-11-25"]
    unknown = [name for name in policies if name not in data["policies"]]
    if unknown:
        sys.exit(f"no such policy: {', '.join(unknown)}; there are {', '.join(data['policies'])}")
    passed, failed = 0, 0
    for opening in data["openings"]:
        if opening["policy"] in policies:
            problem = attempt(data, negotiator, opening, [])
            passed, failed = count(f"{opening['policy']}@{opening['medium']} begins", problem, passed, failed, options)
    for row in data["steps"]:
        if row["policy"] in policies:
            way = data["states"][row["from"]]["via"] + [row["event"]]
            problem = attempt(data, negotiator, row, way)
            passed, failed = count(row["id"], problem, passed, failed, options)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def attempt(data, negotiator, row, way):
    """Replays the events of a way from the opening; returns what is otherwise than expected, or None."""
    policy, medium = data["policies"][row["policy"]], row["medium"]
    policy = {**policy, "budgets": {**policy["budgets"], **data["walkBudgets"]}}
    try:
        state, commands = negotiator.begin(policy, medium)
        for event in way:
            state, commands = negotiator.step(policy, medium, state, data["events"][event])
    except Exception as problem:  # A negotiator that breaks is wrong about this step, and the others are still run.
        return f"it raises {problem!r}"
    return compare(state, commands, data, row)


def compare(state, commands, data, row):
    """Returns what is otherwise than expected, or None."""
    expected = data["states"][row["next"]]["state"]
    for key in ("_tag", "version", "asked"):
        if key in state and state[key] != expected.get(key):
            return f"{key} is {state[key]!r}, expected {expected.get(key)!r}"
    reason, why = state.get("reason") or {}, expected.get("reason", {})
    for key in reason:
        if key != "message" and reason[key] != why.get(key):
            return f"{key} of the reason is {reason[key]!r}, expected {why.get(key)!r}"
    said, wanted = seen(commands), seen(row["commands"])
    return None if said == wanted else f"it sends {json.dumps(said)}, expected {json.dumps(wanted)}"


def seen(commands):
    """The commands that a server would see. A member without a value and an absent one are the same."""
    return [
        {key: value for key, value in command.items() if value is not None}
        for command in commands
        if command["_tag"] in SEEN
    ]


def count(name, problem, passed, failed, options):
    if problem is not None:
        print(f"FAIL {name}: {problem}")
        return passed, failed + 1
    if options.verbose:
        print(f"ok   {name}")
    return passed + 1, failed


def load(path):
    spec = importlib.util.spec_from_file_location("negotiator", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arguments():
    parser = argparse.ArgumentParser(description="Runs a negotiator against the steps of Parley's client machine.")
    parser.add_argument("--negotiator", default=HERE / "negotiator.py", help="a Python file with begin and step")
    parser.add_argument("--policy", action="append", help="which policy's steps; may be given more than once")
    parser.add_argument("--verbose", action="store_true", help="print what passes, too")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
