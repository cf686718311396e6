"""Settings of a program: a file for all of them, and options that go before it."""

import argparse
import os
import tomllib


def parser(name):
    made = argparse.ArgumentParser(prog=f"nordkai-{name}")
    made.add_argument("--config", default="/etc/nordkai/nordkai.toml")
    return made


def load(path):
    with open(path, "rb") as file:
        settings = tomllib.load(file)
    settings["database"]["password"] = os.environ["NORDKAI_DB_PASSWORD"]
    return settings


def of_program(name, options):
    """The file, and the program's own part of it, in which an option that was given replaces what is written."""
    settings = load(options.config)
    given = {key: value for key, value in vars(options).items() if key != "config" and value is not None}
    return settings, {**settings[name], **given}
