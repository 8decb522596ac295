#!/usr/bin/env python3
"""Gradients of all that states hold by all that can be set: muscles of material points and finite elements, a tool."""

from common import Run

run = Run(__doc__, steps=3, envs=2)
gs = run.genesis
import torch  # noqa: E402: after Genesis, which is timed

with run.timed("scene"):
    scene = gs.Scene(
        show_viewer=False,
        # room for a step more: at the end of that memory Genesis fails to go back to its checkpoint of elements
        sim_options=gs.options.SimOptions(dt=1e-3, substeps=2, substeps_local=2 * run.steps + 2, requires_grad=True),
        mpm_options=gs.options.MPMOptions(lower_bound=(-0.3, -0.3, -0.1), upper_bound=(0.3, 0.3, 0.5), grid_density=24),
        fem_options=gs.options.FEMOptions(damping=45.0),
    )
    points = scene.add_entity(
        gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(0, 0, 0.1)), material=gs.materials.MPM.Muscle(n_groups=1)
    )
    elements = scene.add_entity(
        gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(0.6, 0, 0.3)), material=gs.materials.FEM.Muscle(n_groups=2)
    )
    tool = scene.add_entity(
        gs.morphs.Mesh(file="meshes/sphere.obj", scale=1.0, pos=(0.03, 0.02, 0.64)), material=gs.materials.Tool()
    )
with run.timed("build"):
    scene.build(n_envs=run.envs)
count = max(run.envs, 1)


def given(*numbers):
    return torch.tensor([numbers] * count, requires_grad=True)


groups = torch.arange(elements.n_elements, dtype=torch.int32) % 2
elements.set_muscle(
    muscle_group=groups, muscle_direction=torch.tensor([[0.0, 0.0, 1.0]]).repeat(elements.n_elements, 1)
)
speeds = [given(0.0, 0.0, speed) for speed in (-1.0, -1.0, -2.0)]
spin, place, turn = given(0.0, 1.0, 0.0), given(0.03, 0.02, 0.64), given(1.0, 0.0, 0.0, 0.0)
start = points.get_state().pos.detach().clone().requires_grad_()
corners = elements.get_state().pos.detach().clone().requires_grad_()
pull = given(0.2)
strain = given(0.5, 0.1).detach()  # Genesis does not get its gradient: it calls a kernel with other arguments


def act(number):
    if number == 0:
        points.set_position(start)
        points.set_velocity(speeds[0])
        elements.set_position(corners)
        elements.set_velocity(speeds[1])
        tool.set_position(place)
        tool.set_quaternion(turn)
    points.set_actuation(pull)
    elements.set_actuation(strain)
    tool.set_velocity(vel=speeds[2], ang=spin)


run.step(scene, act)
whole = scene.get_state().solvers_state
states = [state for state in (*whole, points.get_state(), elements.get_state(), tool.get_state()) if state is not None]
loss = 0.0
for state in states:
    for name in ("pos", "vel", "C", "F", "Jp", "quat", "ang"):
        value = getattr(state, name, None)
        if isinstance(value, torch.Tensor) and value.requires_grad:
            loss = loss + (value**2).sum()
with run.timed("backward"):
    scene.backward(loss)
run.save(loss=loss, speeds=[speed.grad for speed in speeds], spin=spin.grad, place=place.grad, turn=turn.grad,
         start=start.grad, corners=corners.grad, pull=pull.grad)
