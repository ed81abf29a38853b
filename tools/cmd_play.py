"""``flagplot play``: a game at this keyboard, against bots or people beside you; also resumes one."""

from pathlib import Path

import click

from engine.kernel.ids import Role
from tools.pairs import pairs


@click.command()
@click.argument("game", default="eots")
@click.option("--scenario", default="1943", show_default=True, help="Scenario to play.")
@click.option(
    "--position",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Start from this scenario file instead (docs/scenario-format.md).",
)
@click.option("--seat", metavar="ROLE", help="Seat to take. Default: the first without a bot.")
@click.option(
    "--bot",
    "bots",
    multiple=True,
    metavar="ROLE=BOT",
    help="Let a bot play a role, such as japan=greedy; BOT is greedy or random.",
)
@click.option("--hotseat", is_flag=True, help="People play every role without a bot, one keyboard.")
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="Set a switch of the game."
)
@click.option("--plain", is_flag=True, help="Line by line, for terminals without screens.")
@click.option(
    "--save",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Record file; one that exists is resumed. Default: a new one in the account's data folder.",
)
def play(  # noqa: PLR0913  # one parameter per option
    game: str,
    scenario: str,
    position: Path | None,
    seat: str | None,
    bots: tuple[str, ...],
    options: tuple[str, ...],
    save: Path | None,
    *,
    hotseat: bool,
    plain: bool,
) -> int:
    """Play GAME here (eots).

    Without --bot and --hotseat the greedy bot plays every other seat.
    """
    from saves.folders import games_folder
    from tui import games, launch

    if not plain:
        launch.check_terminal()
    chosen = {Role(role): name for role, name in pairs(bots, "--bot").items()}
    own = None if seat is None else Role(seat)
    if save is not None and save.exists():
        session = games.resume(save, own, chosen)
        return launch.play(session, plain=plain, place=str(save))
    loaded = None
    if position is not None:
        from tools.positions import load_position

        if options:
            raise click.UsageError(
                "A scenario file holds its options; --option does not go with it."
            )
        loaded, scenario = load_position(position, game).position, ""
    wish = games.Wish(
        game=game,
        scenario=scenario,
        options=pairs(options),
        position=loaded,
        bots=chosen if hotseat or chosen else games.company(game, scenario, own),
        seat=own,
    )
    if save is None:
        session, path = games.begin_new(wish, games_folder())
    else:
        session, path = games.begin(wish, save), save
    click.echo(f"record: {path}", err=True)
    return launch.play(session, plain=plain, place=str(path))
