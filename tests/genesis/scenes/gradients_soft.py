#!/usr/bin/env python3
"""Gradients of material points and a tool, by reverse differentiation."""

from common import Run

run = Run(__doc__, steps=4, envs=2)
gs = run.genesis
import torch  # noqa: E402: after Genesis, which is timed

with run.timed("scene"):
    scene = gs.Scene(
        show_viewer=False,
        sim_options=gs.options.SimOptions(dt=2e-3, substeps=4, substeps_local=4 * run.steps, requires_grad=True),
        mpm_options=gs.options.MPMOptions(lower_bound=(-0.3, -0.3, -0.1), upper_bound=(0.3, 0.3, 0.5), grid_density=24),
    )
    sand = scene.add_entity(gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(0, 0, 0.1)), material=gs.materials.MPM.Elastic())
    # at its own size: Genesis turns a scale round, x / s to x * s, and all points would be near the middle of its
    # distances, where normals are rounding; and aside, since normals have kinks at the planes of its axes
    tool = scene.add_entity(
        gs.morphs.Mesh(file="meshes/sphere.obj", scale=1.0, pos=(0.03, 0.02, 0.64)), material=gs.materials.Tool()
    )
with run.timed("build"):
    scene.build(n_envs=run.envs)
count = max(run.envs, 1)
speed = torch.tensor([[0.0, 0.0, -1.0]] * count, requires_grad=True)
tool_speed = torch.tensor([[0.0, 0.0, -2.0]] * count, requires_grad=True)
sand.set_velocity(speed)


def act(number):
    tool.set_velocity(vel=tool_speed)


run.step(scene, act)
loss = (sand.get_state().pos ** 2).sum() + (tool.get_state().pos ** 2).sum()
with run.timed("backward"):
    scene.backward(loss)
run.save(loss=loss, speed=speed.grad, tool_speed=tool_speed.grad, sand=sand.get_state().pos, tool=tool.get_state().pos)
