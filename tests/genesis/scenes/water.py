#!/usr/bin/env python3
"""Material points of a liquid and of rubber, whose materials need no singular values."""

from common import Run

run = Run(__doc__, steps=10, envs=2)
gs = run.genesis
with run.timed("scene"):
    scene = gs.Scene(
        show_viewer=False,
        sim_options=gs.options.SimOptions(dt=2e-3, substeps=4),
        mpm_options=gs.options.MPMOptions(lower_bound=(-0.5, -0.5, -0.1), upper_bound=(0.5, 0.5, 0.8), grid_density=24),
    )
    scene.add_entity(gs.morphs.Plane())
    liquid = scene.add_entity(gs.morphs.Box(size=(0.2, 0.2, 0.2), pos=(0, 0, 0.3)), material=gs.materials.MPM.Liquid())
    elastic = scene.add_entity(
        gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(0, 0, 0.5)), material=gs.materials.MPM.Elastic(model="neohooken")
    )
with run.timed("build"):
    scene.build(n_envs=run.envs)
run.step(scene)
run.save(liquid=liquid.get_particles_pos(), elastic=elastic.get_particles_pos())
