# A loop on the device: a short task and the count of its rounds. Beside loops.cu.
import quadrants as qd


@qd.kernel(graph=True)
def rounds(x: qd.types.ndarray(qd.f32, 1), left: qd.types.ndarray(qd.i32, 0), n: qd.i32):
    left[()] = n
    while qd.graph.do_while(left):
        qd.loop_config(block_dim=256)
        for i in range(x.shape[0]):
            x[i] = 0.5 * x[i] + 1.0
        left[()] -= 1
