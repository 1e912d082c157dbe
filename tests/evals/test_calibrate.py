import pytest

from langgraph_readback.evals.calibrate import check, measure

pytestmark = pytest.mark.timeout(180)


@pytest.fixture(scope="module")
def rows():
    return check(measure(seeds=range(1, 6)))


def test_the_line_errs_as_often_as_published(rows):
    assert [row for row in rows if not row.ok] == []


def test_the_check_covers_all_types_conditions_and_the_second_capture(rows):
    assert sum(row.allowed is not None for row in rows) == 1 + 10 + 3 + 1


def test_a_quieter_and_a_louder_line_err_less_and_more():
    half, full, double = (measure(scale, range(1, 3)).first["all"] for scale in (0.5, 1.0, 2.0))
    assert half + 0.08 < full < double - 0.08
