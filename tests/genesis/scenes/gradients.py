#!/usr/bin/env python3
"""Gradients of rigid bodies: what force and start give the end position, by reverse differentiation."""

from common import Run

run = Run(__doc__, steps=5, envs=2)
gs = run.genesis
import torch  # noqa: E402: after Genesis, which is timed

with run.timed("scene"):
    scene = gs.Scene(
        show_viewer=False,
        sim_options=gs.options.SimOptions(dt=1e-2, substeps=1, requires_grad=True),
        rigid_options=gs.options.RigidOptions(enable_collision=True, enable_self_collision=False),
    )
    scene.add_entity(gs.morphs.Plane())
    box = scene.add_entity(gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(0, 0, 0.049)))
    scene.add_entity(gs.morphs.Box(size=(0.08, 0.08, 0.08), pos=(0.013, 0.021, 0.137), euler=(2, 3, 25)))
    for place in [(-1, 0, 0.049), (-0.99, 0.02, 0.145)]:  # spheres' contacts have code of their own, as boxes' have
        scene.add_entity(gs.morphs.Sphere(radius=0.05, pos=place))
    arm = scene.add_entity(gs.morphs.URDF(file="urdf/simple/two_link_arm.urdf", fixed=True, pos=(1, 0, 0.5)))
with run.timed("build"):
    scene.build(n_envs=run.envs)
count = max(run.envs, 1)
start = torch.tensor([[0.0, 0.0, 0.049]] * count, requires_grad=True)
speed = torch.tensor([[0.1, 0.0, 0.0, 0.0, 0.0, 0.0]] * count, requires_grad=True)
force = torch.tensor([[0.1] * arm.n_dofs] * count, requires_grad=True)
box.set_pos(start)
box.set_dofs_velocity(speed)


def act(number):
    arm.control_dofs_force(force)


run.step(scene, act)
goal = torch.tensor([[0.1, 0.0, 0.05]] * count)
loss = ((box.get_state().pos - goal) ** 2).sum() + (arm.get_state().quat ** 2).sum()
with run.timed("backward"):
    scene.backward(loss)
run.save(loss=loss, start=start.grad, speed=speed.grad, pos=box.get_pos())
