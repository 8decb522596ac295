"""Turns each compilation that `Watch` saw into an instance of a recording, or into a reason why not."""

from __future__ import annotations

import os

from quadrants.lang import impl

from ..values import NoText, supported_version
from .instances import instance_of
from .place import Placement
from .recording import Recording, Refused
from .watch import Session, Watch, call_site


class Recorder:
    """Records from `start` to `stop`. A fault of the recorder is a reason, too: it does not end the program."""

    def __init__(self, recording: Recording, root: str):
        self.recording, self.root = recording, root
        self.watch = Watch(self.done)
        self.conflict: Refused | None = None  # with what was recorded before, which nothing can be added to
        recording.refused.clear()
        version, _ = supported_version()
        if version not in recording.quadrants:
            recording.quadrants.append(version)

    def start(self) -> None:
        self.watch.start()
        os.register_at_fork(before=self.forks, after_in_child=self.watch.stop)

    def stop(self) -> None:
        self.watch.stop()

    def forks(self) -> None:
        if self.watch.saved:
            reason = "the program forks here, and what the child launches is not recorded"
            self.recording.refuse("", call_site(), reason)

    def done(self, session: Session) -> None:
        name = session.kernel.func.__qualname__
        if self.conflict:
            return
        try:
            if session.failure:
                raise NoText(session.failure)
            self.recording.set_options(compiler_options())
            self.recording.add_instance(instance_of(Placement(self.recording, session, self.root)))
        except Refused as error:
            self.conflict = error
        except NoText as error:
            self.recording.refuse(name, session.site, str(error))
        except OSError as error:
            self.recording.refuse(name, session.site, f"its source is not to be had: {error}")
        except Exception as error:
            if os.environ.get("SEXTANT_DEBUG"):
                raise
            self.recording.refuse(name, session.site, f"a fault of the recorder: {type(error).__name__}: {error}")


def compiler_options() -> dict[str, str]:
    """Returns the settings of `qd.init` that change the meaning of kernels."""
    runtime = impl.get_runtime()
    return {"default-fp": runtime.default_fp.to_string(), "default-ip": runtime.default_ip.to_string()}


def require_supported() -> None:
    """Raises Refused for versions of quadrants that this recorder was not tested with."""
    version, is_supported = supported_version()
    if not is_supported:
        raise Refused(f"quadrants {version} is installed, and programs of 1.3 and 1.4 can be recorded")
