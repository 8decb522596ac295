#!/usr/bin/env python3
"""The SAP coupler: elastic boxes and a rigid box in hydroelastic contact with each other and the floor."""

from common import Run

run = Run(__doc__, steps=10, envs=2, precision="64")
gs = run.genesis
with run.timed("scene"):
    scene = gs.Scene(
        show_viewer=False,
        sim_options=gs.options.SimOptions(dt=1 / 60, substeps=2),
        fem_options=gs.options.FEMOptions(use_implicit_solver=True),
        coupler_options=gs.options.SAPCouplerOptions(),
    )
    arm = scene.add_entity(gs.morphs.URDF(file="urdf/simple/two_cube_prismatic.urdf", fixed=True, pos=(1, 0, 0.5)))
    low = scene.add_entity(
        gs.morphs.Box(size=(0.2, 0.2, 0.2), pos=(0, 0, 0.1)),
        material=gs.materials.FEM.Elastic(model="linear_corotated", E=1e5, friction_mu=0.5),
    )
    high = scene.add_entity(
        gs.morphs.Sphere(radius=0.08, pos=(0, 0, 0.28)),
        material=gs.materials.FEM.Elastic(model="linear_corotated", E=1e5),
    )
    rigid = scene.add_entity(
        gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(0.1, 0.1, 0.26)), material=gs.materials.Rigid(rho=300)
    )
with run.timed("build"):
    scene.build(n_envs=run.envs)
run.step(scene)
run.save(
    pos=[low.get_state().pos, high.get_state().pos],
    vel=[low.get_state().vel, high.get_state().vel],
    rigid=[rigid.get_pos(), rigid.get_quat()],
    arm=arm.get_dofs_position(),
)
