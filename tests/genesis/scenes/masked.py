#!/usr/bin/env python3
"""Some environments only: poses, velocities and resets of those that a mask or indices choose; bodies that sleep."""

from common import Run

run = Run(__doc__, steps=60, envs=3, copies=True)
gs = run.genesis
import torch  # noqa: E402

with run.timed("scene"):
    scene = gs.Scene(show_viewer=False, rigid_options=gs.options.RigidOptions(use_hibernation=True))
    scene.add_entity(gs.morphs.Plane())
    low = scene.add_entity(gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(0, 0, 0.05)))
    high = scene.add_entity(gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(0, 0, 0.16)))
    ball = scene.add_entity(gs.morphs.Sphere(radius=0.05, pos=(1, 0, 0.05)))
    arm = scene.add_entity(gs.morphs.URDF(file="urdf/simple/two_link_arm.urdf", fixed=True, pos=(2, 0, 0.5)))
with run.timed("build"):
    scene.build(n_envs=run.envs)
some = torch.arange(run.envs) % 2 == 0
count = int(some.sum())


def act(number):
    if number == 30:
        low.set_pos(torch.tensor([[0.0, 0.0, 0.06]]).repeat(count, 1), envs_idx=some.nonzero().flatten())
        ball.set_dofs_velocity(torch.full((run.envs, 6), 0.2))
        high.set_quat(torch.tensor([[1.0, 0.0, 0.0, 0.0]]).repeat(run.envs, 1))
        arm.set_qpos(torch.full((run.envs, arm.n_qs), 0.2))
        arm.set_dofs_position(torch.full((run.envs, arm.n_dofs), 0.1))
        ball.apply_links_external_wrench(force=torch.tensor([[0.1, 0.0, 0.0]]).repeat(run.envs, 1, 1))
    if number == 45:
        scene.reset(envs_idx=some)
    if number == 50:
        scene.reset(envs_idx=[0])


run.step(scene, act)
run.save(
    pos=[e.get_pos() for e in (low, high, ball)],
    quat=high.get_quat(),
    arm=arm.get_dofs_position(),
    contacts=high.get_contacts(),
    force=low.get_links_net_contact_force(),
)
