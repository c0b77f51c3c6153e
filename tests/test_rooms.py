"""The rooms of the package: who may import whom, no name in two meanings, no private names of others."""

import ast
import importlib
import pkgutil
import sys

import pytest
from conftest import ROOT

PACKAGE = ROOT / "attnkit"
MODULES = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in sorted(PACKAGE.rglob("*.py"))}
# What each room may import beside itself: arrows run one way.
ARROWS = {"mechanism": set(), "pictures": {"mechanism"}, "figures": {"mechanism", "pictures"}, "lessons": {"mechanism", "pictures"}}


def room(module):
    """The room of a module of attnkit."""
    part = module.split(".")[1] if "." in module else ""
    return part if part in ARROWS else "mechanism"


def imports(path):
    """What a file imports, at any depth: (module, name or None)."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield from ((node.module, alias.name) for alias in node.names)


def test_there_is_something_to_look_at():
    walked = {module.name for module in pkgutil.walk_packages(importlib.import_module("attnkit").__path__, "attnkit.")}
    assert set(MODULES) == {"attnkit", *walked} and {room(name) for name in MODULES} == set(ARROWS)


@pytest.mark.parametrize("name", MODULES)
def test_arrows_run_one_way(name):
    for module, part in imports(MODULES[name]):
        if module.split(".")[0] != "attnkit":
            continue
        target = f"{module}.{part}" if f"{module}.{part}" in MODULES else module
        assert room(target) in {room(name)} | ARROWS[room(name)], f"{name} imports {target}"


@pytest.mark.parametrize("name", [name for name in MODULES if room(name) == "mechanism"])
def test_the_mechanism_needs_numpy_and_torch_for_modules_only(name):
    outside = {module.split(".")[0] for module, _ in imports(MODULES[name])} - set(sys.stdlib_module_names) - {"attnkit"}
    assert outside <= {"numpy", "array_api_compat"} | ({"torch"} if name == "attnkit.modules" else set())


@pytest.mark.parametrize("name", MODULES)
def test_nobody_uses_private_names_of_others(name):
    tree = ast.parse(MODULES[name].read_text())
    for module, part in imports(MODULES[name]):
        if module.split(".")[0] == "attnkit":
            assert not any(word.startswith("_") for word in f"{module}.{part}".split(".")), (module, part)
    modules = {alias.asname or alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
               and node.module.split(".")[0] == "attnkit" for alias in node.names if f"{node.module}.{alias.name}" in MODULES}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            assert not node.attr.startswith("_"), f"{node.value.id}.{node.attr}"


@pytest.mark.parametrize("name", [name for name, path in MODULES.items() if path.name == "__init__.py"])
def test_no_module_shadows_a_name(name):
    """After all is imported, what a package offers is still what it offers: a submodule of that name would have replaced it."""
    package = importlib.import_module(name)
    for module in MODULES:
        importlib.import_module(module)
    inside = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert not inside & set(getattr(package, "__all__", ()))
    for word in inside:
        assert getattr(package, word).__name__ == f"{name}.{word}"
