#!/usr/bin/env python3
"""Sensors of touch on a box below a ball: probes, taxels, elastomers. They use SDFs, with --rays they cast rays."""

from common import Run

run = Run(__doc__, steps=15, envs=2, flags=["rays"])
gs = run.genesis
with run.timed("scene"):
    scene = gs.Scene(show_viewer=False)
    plane = scene.add_entity(gs.morphs.Plane())
    box = scene.add_entity(gs.morphs.Box(size=(0.1, 0.1, 0.1), pos=(0, 0, 0.06)))
    ball = scene.add_entity(gs.morphs.Sphere(radius=0.05, pos=(0.02, 0, 0.17)))
    touch = {
        "entity_idx": box.idx,
        "probe_local_pos": ((0.0, 0.0, 0.05), (0.03, 0.0, 0.05)),
        "probe_radius": 0.02,
        "contact_depth_query": "raycast" if run.options.rays else "sdf",
    }
    cloud = {"track_link_idx": (ball.base_link.idx,), "n_sample_points": 50}
    makes = {
        "probe": gs.sensors.ContactProbe(**touch),
        "deep": gs.sensors.ContactDepthProbe(**touch),
        "taxel": gs.sensors.KinematicTaxel(**touch),
        "elastomer": gs.sensors.ElastomerTaxel(**cloud, **touch),
        "near": gs.sensors.ProximityTaxel(**cloud, **{**touch, "contact_depth_query": None}),
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
