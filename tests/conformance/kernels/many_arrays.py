# As many arrays as simulators pass: 300. Each iteration adds another number to each. Then 36 arrays of
# six types, with the accesses that targets write in different ways.
import quadrants as qd

A = qd.types.ndarray(dtype=qd.i32, ndim=1)


@qd.kernel
def many(
    a0: A, a1: A, a2: A, a3: A, a4: A, a5: A, a6: A, a7: A, a8: A, a9: A, a10: A, a11: A, a12: A,
    a13: A, a14: A, a15: A, a16: A, a17: A, a18: A, a19: A, a20: A, a21: A, a22: A, a23: A, a24: A,
    a25: A, a26: A, a27: A, a28: A, a29: A, a30: A, a31: A, a32: A, a33: A, a34: A, a35: A, a36: A,
    a37: A, a38: A, a39: A, a40: A, a41: A, a42: A, a43: A, a44: A, a45: A, a46: A, a47: A, a48: A,
    a49: A, a50: A, a51: A, a52: A, a53: A, a54: A, a55: A, a56: A, a57: A, a58: A, a59: A, a60: A,
    a61: A, a62: A, a63: A, a64: A, a65: A, a66: A, a67: A, a68: A, a69: A, a70: A, a71: A, a72: A,
    a73: A, a74: A, a75: A, a76: A, a77: A, a78: A, a79: A, a80: A, a81: A, a82: A, a83: A, a84: A,
    a85: A, a86: A, a87: A, a88: A, a89: A, a90: A, a91: A, a92: A, a93: A, a94: A, a95: A, a96: A,
    a97: A, a98: A, a99: A, a100: A, a101: A, a102: A, a103: A, a104: A, a105: A, a106: A, a107: A,
    a108: A, a109: A, a110: A, a111: A, a112: A, a113: A, a114: A, a115: A, a116: A, a117: A,
    a118: A, a119: A, a120: A, a121: A, a122: A, a123: A, a124: A, a125: A, a126: A, a127: A,
    a128: A, a129: A, a130: A, a131: A, a132: A, a133: A, a134: A, a135: A, a136: A, a137: A,
    a138: A, a139: A, a140: A, a141: A, a142: A, a143: A, a144: A, a145: A, a146: A, a147: A,
    a148: A, a149: A, a150: A, a151: A, a152: A, a153: A, a154: A, a155: A, a156: A, a157: A,
    a158: A, a159: A, a160: A, a161: A, a162: A, a163: A, a164: A, a165: A, a166: A, a167: A,
    a168: A, a169: A, a170: A, a171: A, a172: A, a173: A, a174: A, a175: A, a176: A, a177: A,
    a178: A, a179: A, a180: A, a181: A, a182: A, a183: A, a184: A, a185: A, a186: A, a187: A,
    a188: A, a189: A, a190: A, a191: A, a192: A, a193: A, a194: A, a195: A, a196: A, a197: A,
    a198: A, a199: A, a200: A, a201: A, a202: A, a203: A, a204: A, a205: A, a206: A, a207: A,
    a208: A, a209: A, a210: A, a211: A, a212: A, a213: A, a214: A, a215: A, a216: A, a217: A,
    a218: A, a219: A, a220: A, a221: A, a222: A, a223: A, a224: A, a225: A, a226: A, a227: A,
    a228: A, a229: A, a230: A, a231: A, a232: A, a233: A, a234: A, a235: A, a236: A, a237: A,
    a238: A, a239: A, a240: A, a241: A, a242: A, a243: A, a244: A, a245: A, a246: A, a247: A,
    a248: A, a249: A, a250: A, a251: A, a252: A, a253: A, a254: A, a255: A, a256: A, a257: A,
    a258: A, a259: A, a260: A, a261: A, a262: A, a263: A, a264: A, a265: A, a266: A, a267: A,
    a268: A, a269: A, a270: A, a271: A, a272: A, a273: A, a274: A, a275: A, a276: A, a277: A,
    a278: A, a279: A, a280: A, a281: A, a282: A, a283: A, a284: A, a285: A, a286: A, a287: A,
    a288: A, a289: A, a290: A, a291: A, a292: A, a293: A, a294: A, a295: A, a296: A, a297: A,
    a298: A, a299: A,
):
    for i in range(a0.shape[0]):
        for k, a in qd.static(enumerate([
            a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18,
            a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35,
            a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, a49, a50, a51, a52,
            a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64, a65, a66, a67, a68, a69,
            a70, a71, a72, a73, a74, a75, a76, a77, a78, a79, a80, a81, a82, a83, a84, a85, a86,
            a87, a88, a89, a90, a91, a92, a93, a94, a95, a96, a97, a98, a99, a100, a101, a102, a103,
            a104, a105, a106, a107, a108, a109, a110, a111, a112, a113, a114, a115, a116, a117,
            a118, a119, a120, a121, a122, a123, a124, a125, a126, a127, a128, a129, a130, a131,
            a132, a133, a134, a135, a136, a137, a138, a139, a140, a141, a142, a143, a144, a145,
            a146, a147, a148, a149, a150, a151, a152, a153, a154, a155, a156, a157, a158, a159,
            a160, a161, a162, a163, a164, a165, a166, a167, a168, a169, a170, a171, a172, a173,
            a174, a175, a176, a177, a178, a179, a180, a181, a182, a183, a184, a185, a186, a187,
            a188, a189, a190, a191, a192, a193, a194, a195, a196, a197, a198, a199, a200, a201,
            a202, a203, a204, a205, a206, a207, a208, a209, a210, a211, a212, a213, a214, a215,
            a216, a217, a218, a219, a220, a221, a222, a223, a224, a225, a226, a227, a228, a229,
            a230, a231, a232, a233, a234, a235, a236, a237, a238, a239, a240, a241, a242, a243,
            a244, a245, a246, a247, a248, a249, a250, a251, a252, a253, a254, a255, a256, a257,
            a258, a259, a260, a261, a262, a263, a264, a265, a266, a267, a268, a269, a270, a271,
            a272, a273, a274, a275, a276, a277, a278, a279, a280, a281, a282, a283, a284, a285,
            a286, a287, a288, a289, a290, a291, a292, a293, a294, a295, a296, a297, a298, a299
        ])):
            a[i] += 1000 * k + i


B = qd.types.ndarray(dtype=qd.u8, ndim=1)
C = qd.types.ndarray(dtype=qd.i16, ndim=1)
H = qd.types.ndarray(dtype=qd.f16, ndim=1)
F = qd.types.ndarray(dtype=qd.f32, ndim=1)
L = qd.types.ndarray(dtype=qd.i64, ndim=1)


@qd.func
def touch(k: qd.template(), i, step, far, a: qd.template(), b: qd.template(), c: qd.template(),
          h: qd.template(), f: qd.template(), l: qd.template()):
    a[i] = qd.volatile_load(a[i]) + step + k
    qd.atomic_add(b[i], qd.u8(i + k))
    c[i] = qd.volatile_load(c[i]) - qd.i16(step)
    qd.atomic_add(h[0], qd.f16(1.0))
    h[1 + i] = qd.f16(i + k)
    qd.atomic_max(f[0], qd.f32(i + k))
    f[1 + i] += 0.5
    l[i] = l[i] * 3 + far


@qd.kernel
def kinds(step: qd.i32, far: qd.i64,
    a0: A, b0: B, c0: C, h0: H, f0: F, l0: L,
    a1: A, b1: B, c1: C, h1: H, f1: F, l1: L,
    a2: A, b2: B, c2: C, h2: H, f2: F, l2: L,
    a3: A, b3: B, c3: C, h3: H, f3: F, l3: L,
    a4: A, b4: B, c4: C, h4: H, f4: F, l4: L,
    a5: A, b5: B, c5: C, h5: H, f5: F, l5: L,
    none: A, turn: A,
):
    for i in range(a0.shape[0]):
        touch(0, i, step, far, a0, b0, c0, h0, f0, l0)
        touch(1, i, step, far, a1, b1, c1, h1, f1, l1)
        touch(2, i, step, far, a2, b2, c2, h2, f2, l2)
        touch(3, i, step, far, a3, b3, c3, h3, f3, l3)
        touch(4, i, step, far, a4, b4, c4, h4, f4, l4)
        touch(5, i, step, far, a5, b5, c5, h5, f5, l5)
    qd.loop_config(block_dim=64)
    for i in range(a0.shape[0]):
        a0[i] = a0[i] + none.shape[0]
        qd.simt.block.sync()
        turn[i] = a0[i ^ 1]
