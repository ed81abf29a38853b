"""Positions that once revealed a bug in the rules engine. The table checks the invariants after every command."""

from tests.engine.qmg.table import Table


def test_an_air_force_awaiting_reposition_breaks_no_invariant() -> None:
    """13.4: between the loss of its Army and its reposition, an Air Force is alone."""
    table = Table(
        "total-war",
        "active ussr",
        "homes",
        "hand ussr su_mao_tse_tung su_build_army",
        "piece japan army szechuan",
        "piece japan army mongolia vladivostok",
        "piece japan air szechuan",
        "piece japan navy east_china_sea",
        "no-piece china army china",
        "piece japan army china",
    )
    table.until("8.2", "ussr")
    table("ussr: play su_mao_tse_tung#1", "ussr: eliminate japan army szechuan")
    while table.rule == "10.4":
        table.default()
    assert table.rule == "13.4"
    assert len(table.options("japan", "reposition")) > 1
    table("japan: reposition japan china")
    table.expect("piece japan air china")
