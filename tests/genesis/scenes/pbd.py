#!/usr/bin/env python3
"""Position-based dynamics: a cloth held at its corner, a soft box, a liquid and free particles, with a rigid box."""

from common import Run

run = Run(__doc__, steps=30, envs=2)
gs = run.genesis
with run.timed("scene"):
    scene = gs.Scene(
        show_viewer=False,
        sim_options=gs.options.SimOptions(dt=4e-3, substeps=5),
        pbd_options=gs.options.PBDOptions(
            lower_bound=(-1.0, -1.0, 0.0), upper_bound=(1.0, 1.0, 1.5), particle_size=0.02
        ),
    )
    scene.add_entity(gs.morphs.Plane())
    rigid = scene.add_entity(gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(0, 0, 0.05)))
    cloth = scene.add_entity(
        gs.morphs.Mesh(file="meshes/cloth.obj", scale=0.4, pos=(0, 0, 0.5)), material=gs.materials.PBD.Cloth()
    )
    soft = scene.add_entity(gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(0.5, 0, 0.2)), material=gs.materials.PBD.Elastic())
    liquid = scene.add_entity(
        gs.morphs.Box(size=(0.12, 0.12, 0.12), pos=(-0.5, 0, 0.2)), material=gs.materials.PBD.Liquid()
    )
    free = scene.add_entity(
        gs.morphs.Box(size=(0.08, 0.08, 0.08), pos=(0, 0.5, 0.3)), material=gs.materials.PBD.Particle()
    )
    scene.add_force_field(gs.force_fields.Wind(direction=(1, 0, 0), strength=2.0, radius=2.0)).activate()
with run.timed("build"):
    scene.build(n_envs=run.envs)
bodies = [cloth, soft, liquid, free]
for body in (soft, liquid, free):
    body.set_particles_pos(body.get_particles_pos() + 0.01)
    body.set_particles_vel(body.get_particles_vel() * 0)
    body.set_particles_active(body.get_particles_active())
cloth.fix_particles(cloth.find_closest_particle((-0.2, -0.2, 0.5)).reshape(-1)[:1])
soft.fix_particles_to_link(rigid.base_link.idx, [0])


def act(number):
    if number == 20:
        cloth.release_particle()
        soft.release_particle([0])


run.step(scene, act)
run.save(
    pos=[b.get_particles_pos() for b in bodies],
    vel=[b.get_particles_vel() for b in bodies],
    rigid=rigid.get_pos(),
    mass=[b.get_mass() for b in bodies],
)
