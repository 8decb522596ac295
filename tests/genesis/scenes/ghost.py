#!/usr/bin/env python3
"""Bodies that move and have no dynamics, vertices that the scene sets, and rays that hit what one sees."""

from common import Run

run = Run(__doc__, steps=10, envs=2, copies=True)
gs = run.genesis
import torch  # noqa: E402

with run.timed("scene"):
    scene = gs.Scene(show_viewer=False)
    seen = gs.materials.Kinematic(use_visual_raycasting=True)
    ghost = scene.add_entity(
        gs.morphs.URDF(file="urdf/simple/two_link_arm.urdf", fixed=True, pos=(1, 0, 0.5)), material=seen
    )
    either = scene.add_entity(
        [gs.morphs.Box(size=(0.2, 0.2, 0.2), pos=(0, 1, 0.5)), gs.morphs.Sphere(radius=0.1, pos=(0, 1, 0.5))],
        material=seen,
    )
    soft = scene.add_entity(
        gs.morphs.Box(size=(0.2, 0.2, 0.2), pos=(0, -1, 0.5), enable_custom_vverts=True), material=seen
    )
    base = scene.add_entity(gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(0, 0, 0.5), fixed=True))
    rays = scene.add_sensor(
        gs.sensors.Raycaster(pattern=gs.sensors.SphericalPattern(n_points=(16, 8)), entity_idx=base.idx)
    )
with run.timed("build"):
    scene.build(n_envs=run.envs)
corners = torch.rand(soft.get_vverts().shape, generator=torch.Generator().manual_seed(1)).to(gs.device)


def act(number):
    ghost.set_qpos(torch.full((max(run.envs, 1), ghost.n_qs), 0.1 * number))
    ghost.set_dofs_velocity(torch.full((max(run.envs, 1), ghost.n_dofs), 0.1))
    soft.set_vverts(corners + 0.01 * number)


run.step(scene, act)
state = scene.get_state()
scene.reset(state)
run.save(
    ghost=ghost.get_links_pos(),
    quats=ghost.get_links_quat(),
    either=either.get_pos(),
    vverts=soft.get_vverts(),
    rays=rays.read()._asdict(),
    box=soft.get_vAABB(),
    jacobian=ghost.get_links_vel(),
)
