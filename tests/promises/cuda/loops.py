# A task of a loop on the device looks at its loop's word, 12 bytes into the schedule, where the host
# queues rounds. A graph runs it in its rounds only, and marks the schedule's address for that: then
# the task does not wait for the word. The task that ends a round tells the graph's node.
# RUN: %sextant compile %s -o %t.sxt --targets sm_90 -j 1 --no-cache --dump-ir=cuda-optimize | FileCheck %s
import quadrants as qd


# CHECK: void @rounds_t1({{.*}}, ptr addrspace(1) [[GIVEN:%[0-9]+]])
# CHECK: [[BITS:%[0-9]+]] = ptrtoint ptr addrspace(1) [[GIVEN]] to i64
# CHECK: [[MARK:%[0-9]+]] = trunc i64 [[BITS]] to i1
# CHECK: [[WORDS:%[0-9]+]] = {{.*}}ptrmask{{.*}}[[GIVEN]], i64 -2)
# CHECK: [[LOOP:%[0-9]+]] = getelementptr {{.*}}[[WORDS]], i64 12
# CHECK: br i1 [[MARK]], label %[[BODY:[a-z0-9]+]], label %[[ASK:[a-z0-9]+]]
# CHECK: [[ASK]]:
# CHECK-NEXT: load i32, ptr addrspace(1) [[LOOP]]
# CHECK: {{^}}[[BODY]]:
# CHECK: load float
# CHECK: void @rounds_t2(
# One wait for memory tells what is left.
# CHECK: [[FOUND:%[0-9]+]] = atomicrmw add ptr addrspace(1) [[LEFT:%[0-9]+]], i32 -1
# CHECK-NOT: load i32, ptr addrspace(1) [[LEFT]]
# CHECK: [[NOW:%[0-9a-z]+]] = add i32 [[FOUND]], -1
# CHECK: icmp ne i32 [[NOW]], 0
# CHECK: call void @cudaGraphSetConditional(
@qd.kernel(graph=True)
def rounds(x: qd.types.ndarray(qd.f32, 1), left: qd.types.ndarray(qd.i32, 0)):
    while qd.graph.do_while(left):
        for i in range(x.shape[0]):
            x[i] = 0.5 * x[i] + 1.0
        left[()] -= 1
