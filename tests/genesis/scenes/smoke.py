#!/usr/bin/env python3
"""Smoke: a stable fluid on a grid with one jet that the scene defines."""

from common import Run

run = Run(__doc__, steps=10, envs=0)
gs = run.genesis
import quadrants as qd  # noqa: E402


@qd.data_oriented
class Jet:
    """Blows upwards from a ball at the middle of the floor."""

    @qd.func
    def get_factor(self, i, j, k, dx, t):
        distance = (
            (qd.Vector([i, j, k], dt=gs.qd_float) + 0.5) * dx - qd.Vector([0.5, 0.5, 0.1], dt=gs.qd_float)
        ).norm()
        return qd.exp(-distance * 20.0)

    @qd.func
    def get_tan_dir(self, t):
        return qd.Vector([qd.sin(t), 0.0, 1.0], dt=gs.qd_float)


with run.timed("scene"):
    scene = gs.Scene(show_viewer=False, sf_options=gs.options.SFOptions(res=24, solver_iters=20))
    scene.add_entity(gs.morphs.Plane())
    scene.sim.sf_solver.set_jets([Jet()])
with run.timed("build"):
    scene.build()
run.step(scene)
grid = scene.sim.sf_solver.grid
run.save(velocity=grid.v.to_numpy(), pressure=grid.p.to_numpy(), smoke=grid.q.to_numpy())
