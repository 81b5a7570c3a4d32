"""The command line: `strata serve` and its sisters. Same services as the page, no request."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click

from webapp import settings as settings_room
from webapp.cli_archives import bring, take
from webapp.cli_backup import backup, restore
from webapp.cli_data import doctor, migrate, reindex
from webapp.cli_models import models
from webapp.cli_people import people
from webapp.errors import StrataError


class Sentences(click.Group):
    """Prints a StrataError as its two sentences; anything else is logged and told briefly."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Options without a command are those of `serve`: `strata --port 5200`."""
        if args and args[0].startswith("-") and args[0] not in ("--help", "--version"):
            args = ["serve", *args]
        return super().parse_args(context, args)

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except StrataError as error:
            raise click.ClickException(str(error)) from error


def option(name: str, **more: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The command line option of one setting; unset leaves it to file and environment."""
    known = {setting.name: setting for setting in settings_room.SETTINGS}[name]
    flag = f"--{name.replace('_', '-')}"
    if isinstance(known.default, bool):
        return click.option(flag, is_flag=True, default=None, help=known.metadata["meaning"])
    help_text = known.metadata["meaning"]
    if known.default != "":
        help_text += f"  [default: {known.default}]"
    return click.option(flag, default=None, metavar=more.get("metavar"), help=help_text)


@click.group(cls=Sentences, invoke_without_command=True)
@click.version_option(package_name="strata-chat", prog_name="strata")
@click.pass_context
def main(context: click.Context) -> None:
    """Strata: a local chat for language models whose subject is memory.

    Without a command it serves, like `strata serve`."""
    if context.invoked_subcommand is None:
        context.invoke(serve)


@main.command()
@option("data", metavar="FOLDER")
@option("models", metavar="FOLDER")
@option("host", metavar="ADDRESS")
@option("port", metavar="PORT")
@option("lan")
@option("without_sign_in")
@option("tls", metavar="off|self")
@option("tls_cert", metavar="FILE")
@option("tls_key", metavar="FILE")
@option("engine", metavar="NAME")
@option("base_url", metavar="ADDRESS")
@option("model", metavar="NAME")
@option("embedder", metavar="NAME")
@option("small")
@option("context_tokens", metavar="N")
@option("max_output_tokens", metavar="N")
@option("threads", metavar="N")
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
def serve(no_browser: bool = False, **options: Any) -> None:
    """Fetch what is missing, serve, and print the address."""
    from webapp.app import usable  # noqa: PLC0415 - other commands need none of it
    from webapp.serving import run  # noqa: PLC0415

    def reload() -> settings_room.Loaded:
        return usable(settings_room.load_all(os.environ, options))

    loaded = reload()
    for complaint in loaded.complaints:
        click.echo(complaint, err=True)
    run(loaded.settings, open_browser=not no_browser, reload=reload)


for command in (models, people, backup, restore, bring, take, migrate, doctor, reindex):
    main.add_command(command)
