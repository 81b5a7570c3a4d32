"""The small version of `./check bench load`: people who read and ask at once, at a real server."""

from tests.benchmarks import bench_load


def test_a_household_reads_and_asks_at_once_and_no_request_fails(tmp_path):
    tally = bench_load.load(tmp_path, 3, reading=8, asking=3)
    assert tally.failures == []
    for kind in bench_load.KINDS + bench_load.WAITS:
        assert tally.seconds[kind], f"nobody did: {kind}"
