"""Exact measurement of strategies: value, best response, exploitability, regrets, gains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.doors import door

if TYPE_CHECKING:
    from infoset.evaluation.evaluation import CONFIDENCE as CONFIDENCE
    from infoset.evaluation.evaluation import Bound as Bound
    from infoset.evaluation.evaluation import Evaluation as Evaluation
    from infoset.evaluation.gains import ActionGain as ActionGain
    from infoset.evaluation.gains import HandGain as HandGain
    from infoset.evaluation.gains import Measurement as Measurement
    from infoset.evaluation.gains import largest_gains as largest_gains
    from infoset.evaluation.gains import measure_strategy as measure_strategy
    from infoset.evaluation.measure import BestResponse as BestResponse
    from infoset.evaluation.measure import best_response as best_response
    from infoset.evaluation.measure import best_response_values as best_response_values
    from infoset.evaluation.measure import expected_value as expected_value
    from infoset.evaluation.measure import exploitability as exploitability
    from infoset.evaluation.measure import infoset_regrets as infoset_regrets
    from infoset.evaluation.measure import infoset_values as infoset_values
    from infoset.evaluation.measure import plan_exploitability as plan_exploitability
    from infoset.evaluation.measure import plan_in_lanes as plan_in_lanes
    from infoset.evaluation.measure import plan_values as plan_values
    from infoset.evaluation.measure import plans_in_lanes as plans_in_lanes
    from infoset.evaluation.measure import sequence_values as sequence_values
    from infoset.evaluation.public import PublicEvaluation as PublicEvaluation
    from infoset.evaluation.public import evaluation_below as evaluation_below
    from infoset.evaluation.public import storage_of as storage_of
    from infoset.evaluation.walker import Leaves as Leaves
    from infoset.evaluation.walker import Walker as Walker
    from infoset.evaluation.walker import all_locked as all_locked
    from infoset.evaluation.walker import side_records as side_records

__getattr__, __dir__ = door(__name__)
