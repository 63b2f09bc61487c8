"""Experiments that are run once for several tests."""

from __future__ import annotations

import pytest

from infoset.experiments import find_experiment


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """By name: an experiment run once, with the progress it reported, and its folder."""

    class Reports(dict):
        def __missing__(self, name):
            steps: list[float] = []
            folder = tmp_path_factory.mktemp(name)
            run = find_experiment(name).run
            report = run(folder, quick=True, progress=lambda share, text: steps.append(share))
            self[name] = report, steps, folder
            return self[name]

    return Reports()
