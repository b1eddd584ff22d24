"""What measures bots: games are counted rightly, and a run goes on where another was stopped."""

import json

import pytest

from benchmarks import saturation


def test_a_run_goes_on_where_it_was_stopped(tmp_path, monkeypatch, capsys):
    results = tmp_path / "results.jsonl"
    words = ["saturation", str(results), "--bots", "random", "--against", "greedy", "--seats", "3", "--games"]
    monkeypatch.setattr("sys.argv", [*words, "3"])
    saturation.main()
    lines = results.read_text().splitlines()
    monkeypatch.setattr("sys.argv", [*words, "6"])
    saturation.main()
    assert results.read_text().splitlines()[:3] == lines
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    assert [row["number"] for row in rows] == list(range(6))
    assert [row["points"] for row in rows] == [0.0] * 6, "random loses against two greedy bots"
    assert (
        capsys.readouterr().out.splitlines()[-1].startswith("| random | greedy | summer | 3 | 6 | 0 ± 0 % | 0 ± 0 % |")
    )


@pytest.mark.parametrize(("values", "shown"), [([0.0, 1.0, 1.0, 0.0], "50 ± 57 %"), ([1.0, 1.0], "100 ± 0 %")])
def test_an_interval_is_that_of_the_mean(values, shown):
    assert saturation.interval(values, 100) == shown


def test_the_bot_has_every_seat_in_turn_in_the_same_deal():
    rows = [saturation.play(("planner", "greedy", "winter", 2), number) for number in (0, 1)]
    assert rows[0]["point"] == ("planner", "greedy", "winter", 2)
    again = saturation.play(("planner", "greedy", "winter", 2), 1)
    assert {**again, "cpu_s": 0} == {**rows[1], "cpu_s": 0}
