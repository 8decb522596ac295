#!/usr/bin/env python3
"""Shapes fall on each other: boxes, balls, a cylinder, a mesh, a body of capsules; with welds, limits and friction."""

from common import Run

run = Run(__doc__, steps=60, envs=2)
gs = run.genesis
with run.timed("scene"):
    scene = gs.Scene(
        show_viewer=False,
        rigid_options=gs.options.RigidOptions(
            enable_self_collision=True,
            noslip_iterations=2,
            box_box_detection=True,
            batch_links_info=True,
            batch_dofs_info=True,
            batch_joints_info=True,
        ),
    )
    scene.add_entity(gs.morphs.Plane())
    boxes = [
        scene.add_entity(gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(0.01 * i, 0, 0.051 + 0.11 * i))) for i in range(3)
    ]
    sphere = scene.add_entity(gs.morphs.Sphere(radius=0.06, pos=(0.02, 0.01, 0.45)))
    cylinder = scene.add_entity(gs.morphs.Cylinder(radius=0.05, height=0.2, pos=(0.4, 0, 0.15), euler=(80, 0, 10)))
    mesh = scene.add_entity(
        gs.morphs.Mesh(
            file="meshes/duck.obj",
            scale=0.05,
            pos=(0.4, 0.02, 0.4),
            convexify=True,
            decompose_object_error_threshold=float("inf"),
        )
    )
    linkage = scene.add_entity(gs.morphs.MJCF(file="xml/four_bar_linkage_weld.xml", pos=(0, 1.5, 0.5)))
    walker = scene.add_entity(gs.morphs.MJCF(file="xml/humanoid.xml", pos=(0, -1.5, 1.3)))
    arm = scene.add_entity(gs.morphs.URDF(file="urdf/simple/two_link_arm.urdf", fixed=True, pos=(1.5, 0, 0.5)))
with run.timed("build"):
    scene.build(n_envs=run.envs)
rigid = scene.sim.rigid_solver
ends = boxes[0].base_link.idx, cylinder.base_link.idx


def act(number):
    if number == 20:
        rigid.add_weld_constraint(*ends)
    if number == 40:
        rigid.delete_weld_constraint(*ends)


run.step(scene, act)
run.save(
    pos=[e.get_pos() for e in (*boxes, sphere, cylinder, mesh)],
    quat=[b.get_quat() for b in boxes],
    linkage=linkage.get_dofs_position(),
    walker=walker.get_dofs_position(),
    arm=arm.get_dofs_position(),
    contacts=mesh.get_contacts(),
    equalities=rigid.get_equality_constraints(),
    force=boxes[0].get_links_net_contact_force(),
)
