"""The rooms of the house: who may import whom, no name in two meanings, no private names of others."""

import ast
import importlib
import pkgutil
import sys

from conftest import ROOT

# What each room may import beside itself: arrows run one way.
ARROWS = {"attnkit": set(), "bookkit.pictures": {"attnkit"}, "bookkit.figures": {"attnkit", "bookkit.pictures"},
          "bookkit.lessons": {"attnkit", "bookkit.pictures"}, "bookkit.studies": {"attnkit", "bookkit.pictures", "bookkit.figures", "bookkit.lessons"},
          "website": {"attnkit", "bookkit.pictures", "bookkit.figures", "bookkit.lessons", "bookkit.studies"}}
MODULES = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
           for top in ("attnkit", "bookkit", "website") for path in sorted((ROOT / top).rglob("*.py"))}


def room(module):
    return next((name for name in ARROWS if f"{module}.".startswith(f"{name}.")), None)


def imports(path):
    """What a file imports, at any depth: (module, name or None)."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield from ((node.module, alias.name) for alias in node.names)


def test_arrows_run_one_way():
    assert {room(name) for name in MODULES} == {*ARROWS, None}, "bookkit itself is empty"
    wrong = [f"{name} imports {target}" for name, path in MODULES.items() if room(name)
             for module, part in imports(path) for target in [f"{module}.{part}" if f"{module}.{part}" in MODULES else module]
             if target.split(".")[0] in ("attnkit", "bookkit", "website", "tools") and room(target) not in {room(name)} | ARROWS[room(name)]]
    assert not wrong, wrong


def test_the_mechanism_needs_numpy_and_torch_for_modules_only():
    for name, path in MODULES.items():
        if room(name) == "attnkit":
            outside = {module.split(".")[0] for module, _ in imports(path)} - set(sys.stdlib_module_names) - {"attnkit"}
            assert outside <= {"numpy", "array_api_compat"} | ({"torch"} if name == "attnkit.modules" else set()), name


def test_nobody_uses_private_names_of_others():
    for name, path in MODULES.items():
        tree = ast.parse(path.read_text())
        own = [(module, part) for module, part in imports(path) if module.split(".")[0] in ("attnkit", "bookkit", "website")]
        assert not any(word.startswith("_") for module, part in own for word in f"{module}.{part}".split(".")), name
        modules = {part for module, part in own if f"{module}.{part}" in MODULES}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
                assert not node.attr.startswith("_"), f"{name}: {node.value.id}.{node.attr}"


def test_no_module_shadows_a_name():
    """After all is imported, what a package offers is still what it offers: a submodule of that name would have replaced it."""
    packages = [name for name, path in MODULES.items() if path.name == "__init__.py" and room(name) != "website"]
    for module in MODULES:
        if room(module) != "website":
            importlib.import_module(module)
    for name in packages:
        package = importlib.import_module(name)
        inside = {module.name for module in pkgutil.iter_modules(package.__path__)}
        assert not inside & set(getattr(package, "__all__", ())), name
        for word in inside:
            assert getattr(package, word).__name__ == f"{name}.{word}"
