// objc_msgSend for Linux on AArch64: asks for the method and jumps there, with all registers that
// may hold arguments as they were. Not run so far.
    .text
    .globl objc_msgSend
    .type objc_msgSend, %function
objc_msgSend:
    stp x29, x30, [sp, #-208]!
    mov x29, sp
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    stp q0, q1, [sp, #80]
    stp q2, q3, [sp, #112]
    stp q4, q5, [sp, #144]
    stp q6, q7, [sp, #176]
    bl fakeObjcLookUp
    mov x16, x0
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldp q0, q1, [sp, #80]
    ldp q2, q3, [sp, #112]
    ldp q4, q5, [sp, #144]
    ldp q6, q7, [sp, #176]
    ldp x29, x30, [sp], #208
    br x16
    .size objc_msgSend, . - objc_msgSend

// What a message to nil runs: returns zero, of whatever type.
    .globl fakeObjcNothing
    .hidden fakeObjcNothing
    .type fakeObjcNothing, %function
fakeObjcNothing:
    mov x0, #0
    fmov d0, xzr
    ret
    .size fakeObjcNothing, . - fakeObjcNothing

    .hidden fakeObjcLookUp
    .section .note.GNU-stack, "", %progbits
