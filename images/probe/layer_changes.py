"""Tells what containers changed of the files of their images. Runs with the engine's folder mounted read-only. One JSON object a
line, see request_server.py: {"id", "upper", "lowers"} -> {"id", "changes": [{"kind", "path", "opened"?, "rights"?}]}, with the folders that overlayfs puts
over each other, the topmost first; null for more changes, or deeper ones, than can be looked at. A byte of a name that is no UTF-8
is told as U+FFFD."""

from hostile import Unobservable
from layers import changes_of
from request_server import serve


def answer(request):
    if "upper" not in request:
        return {}  # asked to see how long an answer takes
    try:
        return {"changes": changes_of(request["upper"], request["lowers"])}
    except Unobservable:
        return {"changes": None}


serve(answer)
