#!/usr/bin/env python3
"""A box falls on a plane."""

from common import Run

run = Run(__doc__, steps=100, envs=4)
gs = run.genesis
with run.timed("scene"):
    scene = gs.Scene(show_viewer=False)
    scene.add_entity(gs.morphs.Plane())
    box = scene.add_entity(gs.morphs.Box(size=(0.2, 0.2, 0.2), pos=(0, 0, 1)))
with run.timed("build"):
    scene.build(n_envs=run.envs)
run.step(scene)
run.save(
    pos=box.get_pos(), quat=box.get_quat(), vel=box.get_vel(), dofs=box.get_dofs_position(), contacts=box.get_contacts()
)
