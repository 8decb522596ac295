#!/usr/bin/env python3
"""An arm with a gripper follows targets that inverse kinematics and position control give, next to a cube."""

import math

from common import Run

run = Run(__doc__, steps=100, envs=2)
gs = run.genesis
import torch  # noqa: E402: after Genesis, which is timed

with run.timed("scene"):
    scene = gs.Scene(show_viewer=False)
    scene.add_entity(gs.morphs.Plane())
    franka = scene.add_entity(gs.morphs.MJCF(file="xml/franka_emika_panda/panda.xml"))
    cube = scene.add_entity(gs.morphs.Box(size=(0.04, 0.04, 0.04), pos=(0.65, 0.0, 0.02)))
with run.timed("build"):
    scene.build(n_envs=run.envs)

franka.set_dofs_kp(torch.tensor([4500.0, 4500, 3500, 3500, 2000, 2000, 2000, 100, 100]))
franka.set_dofs_kv(torch.tensor([450.0, 450, 350, 350, 200, 200, 200, 10, 10]))
franka.set_dofs_force_range(
    torch.tensor([-87.0, -87, -87, -87, -12, -12, -12, -100, -100]),
    torch.tensor([87.0, 87, 87, 87, 12, 12, 12, 100, 100]),
)
hand = franka.get_link("hand")
count = max(run.envs, 1)


def batched(values):
    tensor = torch.tensor(values).repeat(count, 1)
    return tensor if run.envs else tensor[0]


start = franka.inverse_kinematics(link=hand, pos=batched([0.5, 0.0, 0.5]), quat=batched([0.0, 1.0, 0.0, 0.0]))


def control(number):
    angle = number / 20
    targets = start.clone()
    targets[..., 0] += 0.2 * math.sin(angle)
    targets[..., 3] += 0.1 * math.cos(angle)
    targets[..., -2:] = 0.02
    franka.control_dofs_position(targets)
    if number >= 60:
        franka.control_dofs_force(torch.full((*targets.shape[:-1], 2), -0.5), [7, 8])


run.step(scene, control)
run.save(
    dofs=franka.get_dofs_position(),
    velocity=franka.get_dofs_velocity(),
    links=franka.get_links_pos(),
    quats=franka.get_links_quat(),
    force=franka.get_dofs_control_force(),
    cube=cube.get_pos(),
    start=start,
    contacts=franka.get_contacts(),
)
