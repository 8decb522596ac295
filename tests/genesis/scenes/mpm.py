#!/usr/bin/env python3
"""Particles of all materials of the material point method fall on a plane, next to a rigid box; emitters and forces."""

from common import Run

run = Run(__doc__, steps=30, envs=2)
gs = run.genesis
with run.timed("scene"):
    scene = gs.Scene(
        show_viewer=False,
        sim_options=gs.options.SimOptions(dt=4e-3, substeps=10),
        mpm_options=gs.options.MPMOptions(
            lower_bound=(-0.5, -0.5, -0.05), upper_bound=(0.5, 0.5, 0.6), grid_density=32, enable_CPIC=True
        ),
    )
    scene.add_entity(gs.morphs.Plane())
    rigid = scene.add_entity(gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(0, 0, 0.05)))
    kinds = [
        gs.materials.MPM.Elastic(),
        gs.materials.MPM.Elastic(model="neohooken"),
        gs.materials.MPM.Liquid(viscous=True),
        gs.materials.MPM.Sand(),
        gs.materials.MPM.Snow(),
        gs.materials.MPM.ElastoPlastic(),
        gs.materials.MPM.Muscle(n_groups=2),
    ]
    bodies = [
        scene.add_entity(
            gs.morphs.Box(size=(0.08, 0.08, 0.08), pos=(0.13 * (i % 3) - 0.13, 0.13 * (i // 3) - 0.13, 0.2)),
            material=kind,
        )
        for i, kind in enumerate(kinds)
    ]
with run.timed("build"):
    scene.build(n_envs=run.envs)
import torch  # noqa: E402

muscle = bodies[-1]
groups = torch.arange(muscle.n_particles, dtype=torch.int32) % 2
muscle.set_muscle(muscle_group=groups, muscle_direction=torch.tensor([[0.0, 0.0, 1.0]]).repeat(muscle.n_particles, 1))
first = bodies[0]
before = first.get_particles_pos()
first.set_particles_pos(before + 0.01)
first.set_particles_vel(torch.zeros_like(before))
first.set_particles_active(first.get_particles_active())
mask = first.get_particles_in_bbox((-1, -1, 0.2), (1, 1, 1))
first.set_free(torch.ones(first.n_particles, dtype=torch.bool))


def act(number):
    muscle.set_actuation(torch.full((max(run.envs, 1), 2), 0.5))
    if number == 5:
        first.set_particle_constraints(mask, rigid.base_link.idx, 100.0)
    if number == 20:
        first.remove_particle_constraints()


run.step(scene, act)
run.save(
    pos=[b.get_particles_pos() for b in bodies],
    vel=[b.get_particles_vel() for b in bodies],
    rigid=rigid.get_pos(),
    actu=muscle.get_particles_actu(),
    group=muscle.get_muscle_group(),
    mass=first.get_mass(),
)
