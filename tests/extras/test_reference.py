"""Everything public is documented: names, parameters, fields of records, constants."""

import dataclasses
import importlib
import inspect
import re

import pytest

pytest.importorskip("numpydoc", reason="numpydoc is not installed")
import public_names as public
import reference_pages
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import Validator, validate

NAMES = [(module, name) for module in public.installed_modules() for name, _ in public.public_names(module)]
# no docstring; parameters that are not documented, or documented and not there
ERRORS = {"GL08", "PR01", "PR02"}
ELSEWHERE = re.compile(
    r"(parameters|arguments)[\w\s]*(those of|as in)\s+`"
)  # "the other parameters are those of `read`"


def documented_objects(module, name):
    """A public name and the methods that its page lists."""
    value = getattr(importlib.import_module(module), name)
    if not public.is_record(value):
        yield f"{module}.{name}"
    if inspect.isclass(value):
        for member, kind in reference_pages.listed_members(value):
            if kind == "method" and not overrides_documented(value, member):
                yield f"{module}.{name}.{member}"


def overrides_documented(kind, member):
    """Whether a method implements one that a base class of aucmax documents."""
    owners = [base for base in kind.__mro__ if member in vars(base) and base.__module__.startswith("aucmax")]
    return any(vars(base)[member].__doc__ for base in owners[1:])


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_every_parameter_is_documented(module, name):
    value = getattr(importlib.import_module(module), name)
    if public.is_constant(value):
        assert public.constant_comment(name, value), "a constant needs a comment that begins with #: above it"
        return
    found = {path: errors for path in documented_objects(module, name) if (errors := errors_of(path))}
    assert found == {}
    if public.is_record(value):
        assert value.__doc__
        assert all(public.record_fields(value).values()), public.record_fields(value)


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_every_method_and_property_has_a_docstring(module, name):
    value = getattr(importlib.import_module(module), name)
    assert [member for member in own_members(value) if not inspect.getdoc(getattr(value, member))] == []


def own_members(value):
    """The public methods and properties of a class that aucmax defines."""
    for member in dir(value) if inspect.isclass(value) else ():
        found = inspect.getattr_static(value, member)
        function = getattr(found, "fget", None) or getattr(found, "func", None) or getattr(found, "__func__", found)
        if not member.startswith("_") and inspect.isfunction(function) and function.__module__.startswith("aucmax"):
            yield member


def errors_of(path):
    """What numpydoc finds, unless the docstring refers to another one, or lists its fields as attributes."""
    found = validate(path)
    value = Validator._load_obj(path)
    if ELSEWHERE.search(value.__doc__ or "") or "*args" in str(
        found["errors"]
    ):  # the latter: no constructor of its own
        return []
    errors = [message for code, message in found["errors"] if code in ERRORS]
    if errors and dataclasses.is_dataclass(value):
        listed = {
            part.strip()
            for entry in NumpyDocString(inspect.getdoc(value))["Attributes"]
            for part in entry.name.split(",")
        }
        errors = sorted({field.name for field in dataclasses.fields(value) if field.init} - listed)
    return errors


def test_every_package_is_in_the_reference_or_internal():
    documented = {module.partition(".")[2] for module in public.MODULES} - {""}
    assert public.first_level() - documented == public.INTERNAL
