#!/usr/bin/env python3
"""Setters and getters of robots, a terrain and a drone: poses, joints, masses, friction, jacobians, paths, wrenches."""

from common import Run

run = Run(__doc__, steps=10, envs=2, copies=True)
gs = run.genesis
import torch  # noqa: E402

with run.timed("scene"):
    scene = gs.Scene(
        show_viewer=False,
        rigid_options=gs.options.RigidOptions(
            batch_links_info=True, batch_dofs_info=True, batch_joints_info=True, use_hibernation=False
        ),
    )
    terrain = scene.add_entity(
        gs.morphs.Terrain(
            n_subterrains=(1, 1),
            subterrain_size=(4.0, 4.0),
            horizontal_scale=0.5,
            subterrain_types=[["pyramid_sloped_terrain"]],
            pos=(-2, -2, -2),
        )
    )
    arm = scene.add_entity(gs.morphs.MJCF(file="xml/franka_emika_panda/panda.xml", pos=(0, 0, 1)))
    box = scene.add_entity(gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(1, 0, 1)))
    either = scene.add_entity(
        [gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(1, 1, 1)), gs.morphs.Sphere(radius=0.06, pos=(1, 1, 1))]
    )
    drone = scene.add_entity(gs.morphs.Drone(file="urdf/drones/cf2x.urdf", pos=(-1, 0, 1)))
with run.timed("build"):
    scene.build(n_envs=run.envs)
rigid = scene.sim.rigid_solver
run.step(scene, lambda number: drone.set_propellers_rpm(torch.full((max(run.envs, 1), 4), 14000.0)))

results = {}


def check(name, setter=None, entity=arm, **options):
    """Reads, and writes back what it read through `setter`."""
    value = getattr(entity, f"get_{name}")()
    if setter is None or setter:
        getattr(entity, setter or f"set_{name}")(value, **options)
    results[name] = getattr(entity, f"get_{name}")()


arm.set_dofs_kp(torch.full((9,), 100.0))
arm.set_dofs_kv(torch.full((9,), 10.0))
for name in (
    "pos",
    "quat",
    "qpos",
    "dofs_position",
    "dofs_velocity",
    "dofs_kp",
    "dofs_kv",
    "dofs_stiffness",
    "dofs_armature",
    "dofs_damping",
    "dofs_frictionloss",
    "dofs_act_gain",
    "links_mass",
    "links_inertia",
):
    check(name)
check("links_COM")
for name in (
    "dofs_control_force",
    "dofs_force",
    "dofs_acc",
    "links_pos",
    "links_quat",
    "links_vel",
    "links_ang",
    "links_acc",
    "links_acc_ang",
    "mass_mat",
    "kinetic_energy",
    "potential_energy",
    "AABB",
    "vAABB",
    "verts",
    "mass",
):
    check(name, setter=False)
arm.set_dofs_limit(*arm.get_dofs_limit())
arm.set_dofs_force_range(*arm.get_dofs_force_range())
arm.set_dofs_act_bias(*arm.get_dofs_act_bias())
arm.control_dofs_force(torch.zeros(9))
arm.control_dofs_velocity(torch.zeros(9))
arm.control_dofs_position_velocity(arm.get_dofs_position(), torch.zeros_like(arm.get_dofs_position()))
arm.control_dofs_position(arm.get_dofs_position())
box.set_friction(0.5)
box.set_friction_ratio(torch.ones(max(run.envs, 1), box.n_links))
box.geoms[0].set_friction(0.7)
box.geoms[0].set_sol_params(box.geoms[0].get_sol_params()[0])
rigid.set_global_sol_params(box.geoms[0].get_sol_params()[0])
rigid.set_geoms_friction(rigid.get_geoms_friction())
rigid.set_geoms_friction_torsional(rigid.get_geoms_friction_torsional())
rigid.set_geoms_friction_rolling(rigid.get_geoms_friction_rolling())
box.geoms[0].set_friction_torsional(0.1)
box.geoms[0].set_friction_rolling(0.1)
scene.sim.set_gravity((0, 0, -9.0))
box.apply_links_external_wrench(force=torch.tensor([[0.0, 0.0, 1.0]]), torque=torch.tensor([[0.0, 0.0, 0.1]]))
box.apply_links_external_wrench(force=torch.tensor([[0.0, 0.0, 1.0]]), pos=torch.tensor([[1.0, 0.0, 1.0]]))
rigid.clear_external_force()
hand = arm.get_link("hand")
count = max(run.envs, 1)
target = torch.tensor([0.5, 0.0, 1.5]).repeat(count, 1)
down = torch.tensor([0.0, 1.0, 0.0, 0.0]).repeat(count, 1)
results["jacobian"] = arm.get_jacobian(hand)
results["jacobian2"] = arm.get_jacobian(hand, local_point=torch.tensor([0.0, 0.0, 0.1]))
results["ik"] = arm.inverse_kinematics(hand, pos=target, quat=down)
results["ik2"] = arm.inverse_kinematics_multilink(
    [hand, arm.get_link("left_finger")], poss=[target, target], quats=[down, down]
)
results["forward"] = rigid.forward_kinematics_query(arm, arm.get_qpos())
results["height"] = rigid.get_terrain_height(torch.zeros(count, 1, 2), terrain.base_link.idx)
rigid.update_vgeoms()
rigid.update_forward_pos()
results["collision"] = arm.detect_collision()
results["contacts"] = arm.get_contacts()
state = scene.get_state()
scene.step()
scene.reset(state)
drone.update_propeller_vgeoms()
results["drone"] = drone.get_pos()
results["either"] = either.get_pos()
run.save(**results)
