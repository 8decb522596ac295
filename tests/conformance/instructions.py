"""How each target does each operation of surface.py, read off its machine code.

    instructions.py SEXTANT FOLDER RESULTS.tsv

Compiles a kernel of one call for each operation and type, and looks for the target's own
instruction by the tables below: `native` where exactly one of it does the operation, `emulated`
where a sequence or a loop does, `refused`, with the module's reason, where there is no variant.
Writes a row `code` each: target, operation, type, verdict, and what the verdict depends on.
"""

import pathlib
import re
import subprocess
import sys

import surface

TARGETS = {
    "cpu": "cpu:x86-64-v3/wave8",
    "cuda": "cuda:compute_90/wave32",
    "gfx9": "amdgpu:gfx942/wave64",
    "rdna": "amdgpu:gfx1100/wave32",
    "vulkan": "vulkan:1.1/wave32",
    "metal": "metal:3.2/wave32",
}

# ---- Kernels ------------------------------------------------------------------------------


def kernel_of(op, dtype):
    return f"{op.name}_{dtype}".replace(".", "_").replace("/", "_")


def source(op, dtype):
    """One kernel that makes one call, on values that the compiler cannot know."""
    result = {"vote": "i32", "lane": "i32", "barrier": "i32"}.get(op.family, dtype)
    if op.family == "ballot":
        result = "u64" if op.kernel in ("ballot", "match_any") else "u32"
    out = f"out[i] = {op.name}(src[i])"
    if op.family == "move":
        lane = {"broadcast": ", qd.u32(n)", "broadcast_first": "", "shuffle": ", lanes[i]"}.get(op.kernel, ", qd.u32(n)")
        out = f"out[i] = {op.name}(src[i]{lane})"
    elif op.family == "segmented":
        out = f"out[i] = {op.name}(src[i], lanes[i])"
    elif op.family == "sort":
        out = f"k, v = {op.name}(src[i], src[i ^ 1])\n        out[i] = k\n        src[i] = v"
    elif op.kernel == "ballot_first_n":
        out = f"out[i] = {op.name}(src[i], 32)"
    elif op.kernel in ("sync", "mem_fence"):
        out = f"src[i] = n\n        {op.name}()\n        out[i] = src[i ^ 1]"
    elif op.kernel in ("invocation_id", "elect", "group_size", "log2_group_size", "thread_idx", "global_thread_idx"):
        out = f"out[i] = {op.name}()"
    elif op.family.startswith("block_"):
        more = "then, " if op.kernel in ("reduce", "reduce_all", "inclusive_scan") else ""
        more = "then, 0, " if op.kernel == "exclusive_scan" else more
        out = f"out[i] = {op.name}(src[i], 128, {more}qd.{dtype})"
    elif op.family == "shared":
        out = f"s = block.SharedArray((128,), qd.{dtype})\n        s[i % 128] = src[i]\n        block.sync()\n        out[i] = s[i % 128 ^ 1]"
    elif op.family.startswith("atomic"):
        place, setup = "src[n]", ""
        if op.family == "atomic_shared":
            place = "s[i % 2]"
            setup = f"s = block.SharedArray((2,), qd.{dtype})\n        s[i % 2] = src[i]\n        block.sync()\n        "
        call = f"{op.builtin}({place}, src[i + 1]" + (", src[i + 2])" if op.builtin.endswith("cas") else ")")
        out = f"{setup}out[i] = {call}"
    return f"""

@qd.kernel
def {kernel_of(op, dtype)}(src: qd.types.ndarray(dtype=qd.{dtype}, ndim=1), lanes: qd.types.ndarray(dtype=qd.u32, ndim=1), n: qd.i32, out: qd.types.ndarray(dtype=qd.{result}, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(1024):
        {out}
"""


HEAD = """import quadrants as qd
from quadrants.lang.simt import block, subgroup


@qd.func
def then(a, b):
    return a + b
"""

# ---- The targets' own instructions ----------------------------------------------------------

ANY = r""  # nothing to execute, or any code: a register, a constant, plain loads and stores

# The instruction of an operation: rows (operation, {target: pattern}); the first whose operation
# matches counts. No pattern: a sequence on that target.
OWN = [
    (r"subgroup\.shuffle$", dict(cuda=r"shfl\.sync\.idx", gfx9=r"ds_bpermute", rdna=r"ds_bpermute",
                                 vulkan=r"OpGroupNonUniformShuffle ", metal=r"(simd_s|spvSubgroupS)huffle\(",
                                 cpu=r"vpermd|vpermps")),
    (r"subgroup\.shuffle_(down|up|xor)$", dict(cuda=r"shfl\.sync\.(down|up|bfly)", gfx9=r"ds_bpermute", rdna=r"ds_bpermute",
                                               vulkan=r"OpGroupNonUniformShuffle", metal=r"(simd_s|spvSubgroupS)huffle\w*\(",
                                               cpu=r"vpermd|vpermps")),
    (r"subgroup\.broadcast", dict(cuda=r"shfl\.sync\.idx", gfx9=r"v_readlane|v_readfirstlane|ds_bpermute",
                                  rdna=r"v_readlane|v_readfirstlane|ds_bpermute",
                                  vulkan=r"OpGroupNonUniform(Broadcast|Shuffle) ", metal=r"(simd_|spvSubgroup)([bB]roadcast|[sS]huffle)\(",
                                  cpu=r"vpermd|vpermps|vp?broadcast")),
    (r"subgroup\.(group_size|log2_group_size|invocation_id)$", dict.fromkeys(TARGETS, ANY)),
    (r"subgroup\.sync$", dict(cuda=r"bar\.warp\.sync", gfx9=ANY, rdna=ANY, vulkan=r"OpControlBarrier",
                              metal=r"simdgroup_barrier", cpu=ANY)),
    (r"subgroup\.mem_fence$", dict(cuda=r"membar|fence\.", gfx9=ANY, rdna=ANY, vulkan=r"OpMemoryBarrier",
                                   metal=r"atomic_thread_fence", cpu=ANY)),
    (r"subgroup\.match_any$", dict(cuda=r"match\.any\.sync")),
    (r"subgroup\.ballot", dict(cuda=r"vote\.sync\.ballot", gfx9=r"v_cmp", rdna=r"v_cmp", vulkan=r"OpGroupNonUniformBallot ",
                               metal=r"(simd_b|spvSubgroupB)allot\(")),
    (r"subgroup\.all_true$", dict(cuda=r"vote\.sync\.all", vulkan=r"OpGroupNonUniformAll ", metal=r"simd_all\(")),
    (r"subgroup\.any_true$", dict(cuda=r"vote\.sync\.any", vulkan=r"OpGroupNonUniformAny ", metal=r"simd_any\(")),
    (r"subgroup\.reduce", dict(cuda=r"redux\.sync", vulkan=r"OpGroupNonUniform([SUIF](Add|Min|Max)|Bitwise(And|Or|Xor)) \S+ \S+ Reduce",
                               metal=r"simd_(sum|min|max|and|or|xor)\(")),
    (r"subgroup\.(in|ex)clusive", dict(vulkan=r"OpGroupNonUniform\w+ \S+ \S+ (In|Ex)clusiveScan",
                                       metal=r"simd_prefix_")),
    (r"block\.sync$", dict(cuda=r"bar(rier)?\.sync", gfx9=r"s_barrier", rdna=r"s_barrier", vulkan=r"OpControlBarrier",
                           metal=r"threadgroup_barrier")),
    (r"block\.sync_", dict(cuda=r"bar(rier)?(\.cta)?\.red")),
    (r"block\.(thread_idx|global_thread_idx|SharedArray)$", dict.fromkeys(TARGETS, ANY)),
    (r"qd\.volatile_load$", dict(cuda=r"ld\.volatile", gfx9=r"(global|flat)_load", rdna=r"(global|flat)_load",
                                 vulkan=r"OpLoad .*Volatile", metal=r"volatile|atomic_load", cpu=ANY)),
    (r"qd\.atomic_(add|sub)", dict(cuda=r"atom\.\S*add", gfx9=r"(global_atomic|ds)_(add|sub)", rdna=r"(global_atomic|ds)_(add|sub)",
                                   vulkan=r"OpAtomic(IAdd|ISub|FAddEXT) ", metal=r"atomic_fetch_(add|sub)|atomicAdd\(",
                                   cpu=r"lock\s+\w+:\s+(add|sub|xadd|inc|dec)")),
    (r"qd\.atomic_(min|max)", dict(cuda=r"atom\.\S*(min|max)", gfx9=r"(global_atomic|ds)_(s|u|i|f)?(min|max)",
                                   rdna=r"(global_atomic|ds)_(s|u|i|f)?(min|max)", vulkan=r"OpAtomic[SUF](Min|Max)(EXT)? ",
                                   metal=r"atomic_fetch_(min|max)|atomic_(min|max)_explicit")),
    (r"qd\.atomic_(and|or|xor)", dict(cuda=r"atom\.\S*(and|or)\b", gfx9=r"(global_atomic|ds)_x?(and|or)",
                                      rdna=r"(global_atomic|ds)_x?(and|or)", vulkan=r"OpAtomic(And|Or|Xor) ",
                                      metal=r"atomic_fetch_x?(and|or)", cpu=r"lock\s+\w+:\s+x?(and|or)")),
    (r"qd\.atomic_exchange", dict(cuda=r"atom\.\S*exch", gfx9=r"global_atomic_swap|ds_(wrxchg|storexchg|swap)\w*",
                                  rdna=r"global_atomic_swap|ds_(wrxchg|storexchg|swap)\w*", vulkan=r"OpAtomicExchange ",
                                  metal=r"atomic_exchange_explicit", cpu=r"\bxchg")),
    (r"qd\.atomic_cas", dict(cuda=r"atom\.\S*cas", gfx9=r"global_atomic_cmpswap|ds_cmpst|ds_cmpstore",
                             rdna=r"global_atomic_cmpswap|ds_cmpst|ds_cmpstore", vulkan=r"OpAtomicCompareExchange ",
                             metal=r"atomic_compare_exchange_weak", cpu=r"lock\s+\w+:\s+cmpxchg")),
]

# This gives an emulation away, whatever else is there: a compare-and-swap that was not asked for.
CAS = r"atom\.\S*cas|cmpswap|ds_cmpst|OpAtomicCompareExchange|atomic_compare_exchange|\bcmpxchg"


def own_instruction(op, target):
    """The pattern, or None."""
    return next((own.get(target) for pattern, own in OWN if re.search(pattern, op.builtin)), None)


def verdict(op, target, code):
    own = own_instruction(op, target)
    if not own:
        return "emulated" if own is None else "native"
    if op.builtin.startswith("qd.atomic") and op.builtin != "qd.atomic_cas" and re.search(CAS, code):
        return "emulated"
    count = len(re.findall(own, code))
    # The CPU performs the lanes' atomics one by one; Metal's text declares what is volatile.
    many = op.builtin.startswith("qd.") and target in ("cpu", "metal")
    return "native" if count == 1 or (many and count > 1) else "emulated"


# ---- Code ---------------------------------------------------------------------------------


def listing(sextant, folder, module, kernel, target):
    """{feature: text} of the kernel's variants for the target."""
    stem = f"{kernel}." + TARGETS[target].replace(":", "-").replace("/", "-")
    if target in ("cuda", "vulkan", "metal"):
        suffix = {"cuda": "ptx", "vulkan": "spvasm", "metal": "metal"}[target]
        name = re.compile(re.escape(stem) + rf"\+?([\w+-]*)\.{suffix}")
        found = {name.fullmatch(file.name)[1]: file.read_text()
                 for file in folder.glob(f"{stem}*.{suffix}") if name.fullmatch(file.name)}
        # SPIRV-Cross's helpers come before the kernel.
        return {feature: text[text.find("\nkernel void "):] if target == "metal" else text for feature, text in found.items()}
    done = subprocess.run([sextant, "disasm", module, "-k", kernel, "-t", TARGETS[target]], capture_output=True, text=True)
    return {"": done.stdout} if done.returncode == 0 else {}


def refusals(sextant, module):
    """{(kernel, backend): the module's reason}."""
    found, kernel = {}, ""
    for line in subprocess.run([sextant, "inspect", module], capture_output=True, text=True).stdout.splitlines():
        if line.startswith("kernel "):
            kernel = re.match(r"kernel (\w+)", line)[1]
        refused = re.match(r"  refused (\w+):\S+: (.*)", line)
        if refused:
            found[kernel, refused[1]] = re.sub(r"(\w+):[\w.]+/wave\d+", r"\1", refused[2])
    return found


def main(sextant, folder, path):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for dtype in surface.ALL:
        ops = [op for op, d in surface.rows() if d == dtype]
        file, module, temps = folder / f"code_{dtype}.py", folder / f"code_{dtype}.sxt", folder / dtype
        file.write_text(HEAD + "".join(source(op, dtype) for op in ops))
        done = subprocess.run([sextant, "compile", file, "-o", module, "--allow-missing", f"--save-temps={temps}", "--compress=fast",
                               "--targets=" + ",".join(TARGETS.values())], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        why = refusals(sextant, module)
        for op in ops:
            kernel = kernel_of(op, dtype)
            for target, name in TARGETS.items():
                reason = why.get((kernel, name.split(":")[0]))
                if reason is not None:
                    rows.append("\t".join(("code", target, op.name, dtype, "refused", reason)))
                    continue
                if own_instruction(op, target):
                    found = {feature: verdict(op, target, text)
                             for feature, text in listing(sextant, temps, module, kernel, target).items()}
                else:
                    found = {"": verdict(op, target, "")}
                note = ""
                if not found:
                    sys.exit(f"{kernel}: no code for {name}, and no refusal")
                if "native" in found.values() and "emulated" in found.values():
                    what = "native"
                    note = "with " + " or ".join(f for f, v in found.items() if v == "native") + "; else emulated"
                else:
                    what = next(iter(found.values()))
                rows.append("\t".join(("code", target, op.name, dtype, what, note)))
    pathlib.Path(path).write_text("\n".join(rows) + "\n")
    counts = {what: sum(f"\t{what}\t" in row for row in rows) for what in ("native", "emulated", "refused")}
    print(", ".join(f"{n} {what}" for what, n in counts.items()))


if __name__ == "__main__":
    main(*sys.argv[1:])
