#!/usr/bin/env python3
"""Finite elements with the explicit solver: an elastic sphere and a muscle fall on a plane and a rigid box."""

from common import Run

run = Run(__doc__, steps=20, envs=2)
gs = run.genesis
with run.timed("scene"):
    scene = gs.Scene(
        show_viewer=False,
        sim_options=gs.options.SimOptions(dt=5e-4, substeps=10),
        fem_options=gs.options.FEMOptions(damping=45.0, enable_vertex_constraints=True),
    )
    scene.add_entity(gs.morphs.Plane())
    rigid = scene.add_entity(gs.morphs.Box(size=(0.2, 0.2, 0.1), pos=(0, 0, 0.05), fixed=True))
    ball = scene.add_entity(
        gs.morphs.Sphere(radius=0.1, pos=(0, 0, 0.25)), material=gs.materials.FEM.Elastic(model="stable_neohookean")
    )
    muscle = scene.add_entity(
        gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(0.5, 0, 0.1)), material=gs.materials.FEM.Muscle(n_groups=2)
    )
    linear = scene.add_entity(
        gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(-0.5, 0, 0.1)), material=gs.materials.FEM.Elastic()
    )
with run.timed("build"):
    scene.build(n_envs=run.envs)
import torch  # noqa: E402

groups = torch.arange(muscle.n_elements, dtype=torch.int32) % 2
muscle.set_muscle(muscle_group=groups, muscle_direction=torch.tensor([[0.0, 0.0, 1.0]]).repeat(muscle.n_elements, 1))
linear.set_position(linear.get_state().pos + 0.01)
linear.set_velocity(torch.tensor([0.0, 0.0, -0.1]))
linear.set_vertex_constraints(verts_idx_local=[0, 1], is_soft_constraint=False)
ball.set_vertex_constraints(verts_idx_local=[0], link=rigid.base_link, is_soft_constraint=True, stiffness=10.0)


def act(number):
    muscle.set_actuation(torch.tensor([0.5, 0.1]))
    if number == 5:
        linear.update_constraint_targets(verts_idx_local=[0], target_poss=linear.get_state().pos[0, :1] + 0.01)
    if number == 15:
        linear.remove_vertex_constraints(verts_idx_local=[0])


run.step(scene, act)
bodies = [ball, muscle, linear]
run.save(pos=[b.get_state().pos for b in bodies], vel=[b.get_state().vel for b in bodies], elements=ball.get_el2v())
