#!/usr/bin/env python3
"""A block of liquid (smoothed particles, WCSPH) falls on a plane and a rigid box."""

from common import Run

run = Run(__doc__, steps=30, envs=2)
gs = run.genesis
with run.timed("scene"):
    scene = gs.Scene(
        show_viewer=False,
        sim_options=gs.options.SimOptions(dt=4e-3, substeps=10),
        sph_options=gs.options.SPHOptions(
            lower_bound=(-0.5, -0.5, 0.0), upper_bound=(0.5, 0.5, 1.0), particle_size=0.02
        ),
    )
    scene.add_entity(gs.morphs.Plane())
    rigid = scene.add_entity(gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(0, 0, 0.05)))
    liquid = scene.add_entity(gs.morphs.Box(size=(0.2, 0.2, 0.2), pos=(0, 0, 0.25)), material=gs.materials.SPH.Liquid())
with run.timed("build"):
    scene.build(n_envs=run.envs)
before = liquid.get_particles_pos()
liquid.set_particles_pos(before + 0.01)
liquid.set_particles_vel(before * 0)
liquid.set_particles_active(liquid.get_particles_active())
run.step(scene)
run.save(pos=liquid.get_particles_pos(), vel=liquid.get_particles_vel(), rigid=rigid.get_pos())
