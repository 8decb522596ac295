#!/usr/bin/env python3
"""Sensors that need no picture: contact, force, inertia, rays, distances and temperature."""

from common import Run

run = Run(__doc__, steps=15, envs=2, copies=True)
gs = run.genesis
with run.timed("scene"):
    scene = gs.Scene(show_viewer=False)
    plane = scene.add_entity(gs.morphs.Plane())
    box = scene.add_entity(gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(0, 0, 0.06)))
    ball = scene.add_entity(gs.morphs.Sphere(radius=0.05, pos=(0.02, 0, 0.18)))
    wall = scene.add_entity(gs.morphs.Box(size=(0.1, 1.0, 1.0), pos=(1, 0, 0.5), fixed=True))
    s, on, tops = gs.sensors, {"entity_idx": box.idx}, ((0.0, 0.0, 0.05), (0.03, 0.0, 0.05))
    makes = {
        "contact": s.Contact(**on),
        "force": s.ContactForce(**on),
        "imu": s.IMU(**on),
        "rays": s.Raycaster(pattern=s.SphericalPattern(n_points=(8, 4)), **on),
        "grid": s.Raycaster(pattern=s.GridPattern(resolution=0.5), pos_offset=(0, 0, 1.0), **on),
        "depth": s.DepthCamera(pattern=s.DepthCameraPattern(res=(8, 6)), **on),
        "distance": s.SurfaceDistanceProbe(probe_local_pos=tops, track_link_idx=(ball.base_link.idx,), **on),
        "heat": s.TemperatureGrid(
            grid_size=(2, 2, 2),
            ambient_temperature=20.0,
            convection_coefficient=1.0,
            properties_dict={-1: s.TemperatureProperties()},
            **on,
        ),
    }
    made = {name: scene.add_sensor(make) for name, make in makes.items()}
with run.timed("build"):
    scene.build(n_envs=run.envs)
run.step(scene)
readings = {name: sensor.read() for name, sensor in made.items()}
run.save(
    **{name: value._asdict() if hasattr(value, "_asdict") else value for name, value in readings.items()},
    pos=box.get_pos(),
)
