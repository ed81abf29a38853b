"""Total War: Air Forces in battles, France and China, Bolsters (13.5-13.10)."""

from tests.engine.qmg.table import Table, moscow

# -- 13.5, 13.6


def test_13_5_cloud_cover_prevents_air_defence_only_for_the_turn() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece germany army ukraine",
        "piece ussr air moscow",
        "hand germany de_tw_cloud_cover de_land_battle#1 de_plunder",
    )
    table.until_window("play_step_begin", "germany")
    table("germany: use de_tw_cloud_cover#1")
    table.until("8.2", "germany")
    table("germany: play de_land_battle#1", "germany: battle germany moscow ussr")
    table.expect("no piece ussr army moscow", "no piece ussr air moscow")  # nowhere to move to
    table.finish_turn()
    assert table.state.turn.flags == ()


def test_13_6_the_battling_force_chooses_the_reply_to_air_defence() -> None:
    table = moscow("piece ussr air moscow", "piece germany air ukraine")
    table("ussr: air-defense")
    assert table.asked == ("germany",)
    assert table.refused("germany: air-attack russia") == ["13.6"]
    assert table.refused("ussr: air-attack ukraine") == ["10.4"]
    assert table.default() == "germany: done"
    table.expect("piece germany air ukraine", "piece ussr army moscow")
