#!/usr/bin/env python3
"""Finite elements with the implicit solver (Newton, conjugate gradients, line search)."""

from common import Run

run = Run(__doc__, steps=20, envs=2)
gs = run.genesis
with run.timed("scene"):
    scene = gs.Scene(
        show_viewer=False,
        sim_options=gs.options.SimOptions(dt=1 / 60, substeps=2),
        fem_options=gs.options.FEMOptions(
            use_implicit_solver=True, n_linesearch_iterations=5, n_newton_iterations=2, enable_vertex_constraints=True
        ),
    )
    bodies = [
        scene.add_entity(
            gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(0.3 * i, 0, 0.3)), material=gs.materials.FEM.Elastic(model=model)
        )
        for i, model in enumerate(["linear", "linear_corotated"])
    ]
with run.timed("build"):
    scene.build(n_envs=run.envs)
bodies[0].set_vertex_constraints(verts_idx_local=[0, 1, 2, 3], is_soft_constraint=True, stiffness=1e3)
run.step(scene)
run.save(pos=[b.get_state().pos for b in bodies], vel=[b.get_state().vel for b in bodies])
