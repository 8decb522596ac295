"""Every public declaration of the loader's headers is documented: documented.py CLANG HEADER...

clang's syntax tree says what is declared and which comment (/** */, ///) belongs to it. Besides
having one, a C function's comment must tell what its declaration raises:

- it gives a handle: who releases it;     - it gives a text: how long that lives;
- it waits by its name (synchronize, read, write, call, measure): that it blocks;
- it goes on after it returned (async): until when memory must stay.

Errors, null, threads and units are told once for all at sextant.h's top, which is looked for.
"""
import json
import re
import subprocess
import sys

# A field whose name and whose struct's comment say it all.
SELF_EVIDENT = {"struct_size", "name", "ndim", "cols", "rows", "dtype", "kind", "wave", "size_bytes", "value",
                "spill_bytes", "stack_bytes", "feature_count", "wave_size_count", "block_dim", "argument_count",
                "variant_count", "max_threads_per_block", "user", "unlock_queue", "bits", "data"}
# Members of the wrapper that are what the standard's classes have under these names.
STANDARD = {"data", "size", "sizeBytes", "begin", "end", "operator[]", "operator*", "operator->", "operator bool",
            "value", "value_or", "has_value", "operator()", "operator==", "operator!=", "value_type"}


def text_of(node):
    """The text of a declaration's comment, or None."""
    def words(part):
        if "text" in part:
            yield part["text"]
        for inner in part.get("inner", []):
            yield from words(inner)
    for inner in node.get("inner", []):
        if inner["kind"] == "FullComment":
            return " ".join(" ".join(words(inner)).split())
    return None


def tree(clang, header, options):
    command = [clang, "-fsyntax-only", "-Xclang", "-ast-dump=json", *options, header]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    decoder, at, roots = json.JSONDecoder(), 0, []
    while at < len(text):  # a filter gives several trees
        if text[at] == "{":
            root, at = decoder.raw_decode(text, at)
            roots.append(root)
        at = text.find("{", at)
        if at < 0:
            break
    return roots


def c_problems(name, node):
    comment = text_of(node)
    parameters = [p.get("type", {}).get("qualType", "") for p in node.get("inner", []) if p["kind"] == "ParmVarDecl"]
    if comment is None:
        yield "has no comment (/** … */)"
        return
    if any(re.fullmatch(r"sxt_\w+ \*\*", p) for p in parameters) and \
            not re.search(r"[Rr]elease|[Oo]wned by|belongs to", comment):
        yield "gives a handle: its comment must say who releases it"
    if any(re.fullmatch(r"const char \*\*", p) for p in parameters) and \
            not re.search(r"lives? as long|[Vv]alid until", comment):
        yield "gives a text: its comment must say how long it lives"
    if re.search(r"_(synchronize|read|write|call|measure)$", name) and \
            not re.search(r"[Bb]lock|[Ww]ait", comment):
        yield "waits: its comment must say that it blocks"
    if name.endswith("_async") and "until" not in comment:
        yield "goes on after it returned: its comment must say until when memory has to stay"


def check_c(clang, path):
    (root,) = tree(clang, path, ["-x", "c", "-std=c11"])
    seen = 0
    typedefs = {n["name"]: text_of(n) for n in root["inner"] if n["kind"] == "TypedefDecl"}
    for node in root["inner"]:
        name, kind = node.get("name", ""), node["kind"]
        if not name.startswith("sxt_"):
            continue
        if kind == "FunctionDecl":
            seen += 1
            for problem in c_problems(name, node):
                yield f"{name} {problem}"
        elif kind in ("RecordDecl", "EnumDecl") and node.get("inner"):
            seen += 1
            if text_of(node) is None and typedefs.get(name) is None:
                yield f"{name} has no comment (/** … */)"
            for member in node["inner"]:
                if member["kind"] not in ("FieldDecl", "EnumConstantDecl"):
                    continue
                seen += 1
                field = member.get("name", "")
                if text_of(member) is None and field not in SELF_EVIDENT and \
                        not field.endswith("_MAX_ENUM") and \
                        not field.startswith(("SXT_DTYPE_", "SXT_ARGUMENT_")):
                    yield f"{name}::{field} has no comment (/** … */ or /**< … */)"
        elif kind == "TypedefDecl":
            seen += 1
            if text_of(node) is None and not any(
                    n.get("name") == name and text_of(n) for n in root["inner"] if n["kind"].endswith(("RecordDecl", "EnumDecl"))):
                yield f"{name} has no comment (/** … */)"
    if seen < 150:
        yield f"only {seen} declarations were found"
    top = open(path, encoding="utf-8").read().split("#ifndef")[0]
    for rule in ("status", "any thread", "Null", "release", "bytes"):
        if rule not in top:
            yield f"the rules at its top do not speak of '{rule}'"


def members(node, scope):
    """(qualified name, node) of what a class or namespace declares for its users."""
    is_public = node.get("tagUsed") != "class"
    for inner in node.get("inner", []):
        kind, name = inner["kind"], inner.get("name", "")
        if kind == "AccessSpecDecl":
            is_public = inner["access"] == "public"
            continue
        if not is_public or inner.get("isImplicit") or not name or name == "detail" or \
                ("previousDecl" in inner and kind != "NamespaceDecl"):
            continue
        described = inner
        if kind in ("ClassTemplateDecl", "FunctionTemplateDecl"):
            parts = [i for i in inner.get("inner", []) if i["kind"] in ("CXXRecordDecl", "CXXMethodDecl", "FunctionDecl", "CXXConstructorDecl")]
            if not parts:
                continue
            described = dict(parts[0])
            if text_of(inner):
                described["inner"] = described.get("inner", []) + [i for i in inner["inner"] if i["kind"] == "FullComment"]
        kind = described["kind"]
        if kind in ("NamespaceDecl", "CXXRecordDecl") and described.get("inner"):
            if kind == "CXXRecordDecl":
                yield f"{scope}::{name}", described
            yield from members(described, f"{scope}::{name}" if kind == "CXXRecordDecl" else scope)
        elif kind in ("CXXMethodDecl", "FunctionDecl", "TypeAliasDecl"):
            yield f"{scope}::{name}", described


def check_cpp(clang, path, options):
    documented, missing = set(), []
    for root in tree(clang, path, ["-x", "c++-header", "-std=c++17", "-Xclang", "-ast-dump-filter=sextant", *options]):
        if root.get("kind") != "NamespaceDecl" or root.get("name") not in ("sextant", "results", "throwing"):
            continue
        for name, node in members(root, "sextant"):
            if text_of(node) is not None:
                documented.add(name)
            elif name.split("::")[-1] not in STANDARD:
                missing.append(name)
    # Overloads share the first one's comment.
    for name in sorted(set(missing) - documented):
        yield f"{name} has no comment (///)"
    if len(documented) < 50:
        yield f"only {len(documented)} documented declarations were found"


def main():
    clang, folder = sys.argv[1:]
    problems = [f"sextant.h: {p}" for p in check_c(clang, f"{folder}/sextant/sextant.h")]
    for mode in ([], ["-DSEXTANT_THROWS"]):
        problems += [f"sextant.hpp: {p}" for p in check_cpp(clang, f"{folder}/sextant/sextant.hpp", [f"-I{folder}", *mode])]
    print("\n".join(dict.fromkeys(problems)) or "every public declaration is documented")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
