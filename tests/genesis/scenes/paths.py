#!/usr/bin/env python3
"""Plans paths of an arm around a box, with both planners."""

from common import Run

run = Run(__doc__, steps=20, envs=2, fields=True)
gs = run.genesis
import torch  # noqa: E402

with run.timed("scene"):
    scene = gs.Scene(show_viewer=False)
    scene.add_entity(gs.morphs.Plane())
    arm = scene.add_entity(gs.morphs.MJCF(file="xml/franka_emika_panda/panda.xml"))
    box = scene.add_entity(gs.morphs.Box(size=(0.05, 0.05, 0.05), pos=(0.6, 0.3, 0.05)))
with run.timed("build"):
    scene.build(n_envs=run.envs)
goal = torch.tensor([0.5, 0.3, 0.2, -1.8, 0.1, 2.0, 0.8, 0.03, 0.03])
goals = goal.repeat(run.envs, 1) if run.envs else goal
planned = [arm.plan_path(goals, num_waypoints=20, max_nodes=50, planner=planner) for planner in ("RRTConnect", "RRT")]
run.step(scene, lambda number: arm.control_dofs_position(planned[0][min(number, len(planned[0]) - 1)]))
run.save(planned=planned, dofs=arm.get_dofs_position())
