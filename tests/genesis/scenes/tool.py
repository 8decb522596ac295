#!/usr/bin/env python3
"""A tool moves through elastic material points; a hybrid body and an emitter of liquid join them."""

from common import Run

run = Run(__doc__, steps=20, envs=0)
gs = run.genesis
with run.timed("scene"):
    scene = gs.Scene(
        show_viewer=False,
        sim_options=gs.options.SimOptions(dt=2e-3, substeps=5),
        mpm_options=gs.options.MPMOptions(lower_bound=(-0.5, -0.5, -0.1), upper_bound=(1.5, 0.5, 1.0), grid_density=32),
    )
    scene.add_entity(gs.morphs.Plane())
    block = scene.add_entity(gs.morphs.Box(size=(0.2, 0.2, 0.1), pos=(0, 0, 0.05)), material=gs.materials.MPM.Elastic())
    tool = scene.add_entity(
        gs.morphs.Mesh(file="meshes/sphere.obj", scale=0.05, pos=(0, 0, 0.2)), material=gs.materials.Tool()
    )
    hybrid = scene.add_entity(
        gs.morphs.URDF(file="urdf/simple/two_link_arm.urdf", pos=(0.5, 0, 0.3), scale=0.2, fixed=True),
        material=gs.materials.Hybrid(
            material_rigid=gs.materials.Rigid(gravity_compensation=1.0),
            material_soft=gs.materials.MPM.Muscle(),
            thickness=0.05,
            damping=1000.0,
        ),
    )
    emitter = scene.add_emitter(material=gs.materials.MPM.Liquid(), max_particles=500)
with run.timed("build"):
    scene.build(n_envs=run.envs)
import torch  # noqa: E402


def act(number):
    tool.set_velocity(vel=torch.tensor([[0.0, 0.0, -1.0]]), ang=torch.tensor([[0.0, 0.0, 1.0]]))
    if number == 15:
        tool.set_position(torch.tensor([[0.0, 0.1, 0.25]]))
        tool.set_quaternion(torch.tensor([[1.0, 0.0, 0.0, 0.0]]))
    hybrid.control_dofs_velocity(torch.full((hybrid.n_dofs,), 0.5))
    if number < 5:
        emitter.emit(droplet_shape="circle", droplet_size=0.08, pos=(-0.3, 0.0, 0.5), direction=(0, 0, -1), speed=1.0)


run.step(scene, act)
run.save(
    block=block.get_particles_pos(),
    tool=tool.get_state().pos,
    soft=hybrid.part_soft.get_particles_pos(),
    dofs=hybrid.get_dofs_position(),
)
