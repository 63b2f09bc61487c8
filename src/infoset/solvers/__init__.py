"""Solvers: the contract, recipes and presets, the loop, solutions; one folder for each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.doors import door

if TYPE_CHECKING:
    from infoset.solvers.algorithms import Algorithm as Algorithm
    from infoset.solvers.algorithms import Nested as Nested
    from infoset.solvers.algorithms import find_algorithm as find_algorithm
    from infoset.solvers.algorithms import find_recipe as find_recipe
    from infoset.solvers.algorithms import known_algorithms as known_algorithms
    from infoset.solvers.contract import NO_NEWS as NO_NEWS
    from infoset.solvers.contract import Solver as Solver
    from infoset.solvers.contract import State as State
    from infoset.solvers.contract import same_arrays as same_arrays
    from infoset.solvers.exact.linear_program import LinearProgramSolver as LinearProgramSolver
    from infoset.solvers.limits import Limits as Limits
    from infoset.solvers.local_rules import REGRET_MATCHING as REGRET_MATCHING
    from infoset.solvers.local_rules import LocalRule as LocalRule
    from infoset.solvers.local_rules import hedge as hedge
    from infoset.solvers.loop import Progress as Progress
    from infoset.solvers.neural_presets import NEURAL as NEURAL
    from infoset.solvers.neural_recipes import NeuralCFR as NeuralCFR
    from infoset.solvers.neural_recipes import NeuralFictitiousPlay as NeuralFictitiousPlay
    from infoset.solvers.neural_recipes import NeuralRecipe as NeuralRecipe
    from infoset.solvers.neural_recipes import Otherwise as Otherwise
    from infoset.solvers.outcome import Below as Below
    from infoset.solvers.outcome import Point as Point
    from infoset.solvers.outcome import Started as Started
    from infoset.solvers.outcome import instant_cfr_space as instant_cfr_space
    from infoset.solvers.presets import PRESETS as PRESETS
    from infoset.solvers.presets import Preset as Preset
    from infoset.solvers.recipe import Recipe as Recipe
    from infoset.solvers.request import DEFAULT_ALGORITHM as DEFAULT_ALGORITHM
    from infoset.solvers.request import SPOT_ALGORITHM as SPOT_ALGORITHM
    from infoset.solvers.request import FormName as FormName
    from infoset.solvers.request import Request as Request
    from infoset.solvers.request import Target as Target
    from infoset.solvers.request import make_request as make_request
    from infoset.solvers.sampled.dense import SampledSolver as SampledSolver
    from infoset.solvers.sampled.level_walks import LevelWalks as LevelWalks
    from infoset.solvers.sequence.plan_solver import PlanSolver as PlanSolver
    from infoset.solvers.sequence.plan_solver import refuse_values as refuse_values
    from infoset.solvers.sequence.regret import RegretSolver as RegretSolver
    from infoset.solvers.sequence.warm_start import Start as Start
    from infoset.solvers.sequence.warm_start import Startable as Startable
    from infoset.solvers.sequence.warm_start import warm_start as warm_start
    from infoset.solvers.solution import Solution as Solution
    from infoset.solvers.solution import UnsavedError as UnsavedError
    from infoset.solvers.solution import read_solution as read_solution
    from infoset.solvers.solving import KERNELS as KERNELS
    from infoset.solvers.solving import Form as Form
    from infoset.solvers.solving import Made as Made
    from infoset.solvers.solving import build_solver as build_solver
    from infoset.solvers.solving import find_form as find_form
    from infoset.solvers.solving import predicted_bytes as predicted_bytes
    from infoset.solvers.solving import regret_solver as regret_solver
    from infoset.solvers.solving import run as run
    from infoset.solvers.solving import warm_up as warm_up
    from infoset.solvers.start import StartLike as StartLike
    from infoset.solvers.trajectory_recipes import BaselineCFR as BaselineCFR
    from infoset.solvers.trajectory_recipes import TrajectoryCFR as TrajectoryCFR
    from infoset.solvers.trajectory_recipes import ValuedCFR as ValuedCFR
    from infoset.solvers.vector.solver import VectorSolver as VectorSolver

__getattr__, __dir__ = door(__name__)
