"""The random numbers of a hand are those of `random.Random`, whenever they are worked out."""

from __future__ import annotations

import copy
import threading
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from infoset.agents import Agent, Uniform, play_hand
from infoset.agents.hands import LateRandom, _free
from infoset.games import make

CALLS = {
    "random": lambda r: r.random(),
    "randrange": lambda r: r.randrange(1000),
    "getrandbits": lambda r: r.getrandbits(70),
    "gauss": lambda r: r.gauss(0, 1),
    "choice": lambda r: r.choice("abcdefg"),
    "choices": lambda r: r.choices("abc", [1, 2, 3], k=3),
    "shuffle": lambda r: r.sample(range(20), 20),
    "randbytes": lambda r: r.randbytes(5),
    "normalvariate": lambda r: r.normalvariate(0, 1),
    "state": lambda r: r.getstate(),
}


@given(
    st.lists(
        st.tuples(st.integers(0, 1 << 70), st.lists(st.sampled_from(sorted(CALLS)), max_size=6)),
        min_size=1,
        max_size=4,
    )
)
def test_late_numbers_are_the_same(rounds):
    late = LateRandom()
    for seed, calls in rounds:
        late.seed_later(seed)
        now = Random(seed)
        for call in calls:
            assert CALLS[call](late) == CALLS[call](now)


def test_a_state_is_kept_and_copied():
    late = LateRandom()
    late.seed_later(7)
    twin = copy.deepcopy(late)
    assert twin.random() == late.random() == Random(7).random()
    late.seed_later(8)
    late.setstate(Random(9).getstate())
    assert late.random() == Random(9).random()
    late.seed(10)
    assert late.random() == Random(10).random()


class PlaysOthers(Agent):
    """Plays a hand of its own whenever it is asked, and draws before and after."""

    def start(self, game, seat, random):
        self.random, self.game, self.drawn = random, game, []

    def act(self, seen):
        first = self.random.random()
        play_hand(self.game, [Uniform(), Uniform()], 99, len(self.drawn))
        self.drawn += [first, self.random.random()]
        return seen.actions[0]


def test_hands_inside_hands_take_nothing_from_each_other():
    game = make("leduc")
    agent = PlaysOthers()
    play_hand(game, [agent, Uniform()], 5, 3)
    own = Random((((5 << 64) | 3) << 2) | 1)
    assert agent.drawn == [own.random() for _ in agent.drawn]
    assert len(agent.drawn) >= 2


def test_hands_in_threads_are_the_same():
    game = make("leduc")
    alone = [play_hand(game, [Uniform(), Uniform()], 1, i) for i in range(200)]
    found = {}

    def play(number):
        found[number] = [play_hand(game, [Uniform(), Uniform()], 1, i) for i in range(200)]

    threads = [threading.Thread(target=play, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[number] == alone for number in range(4))
    assert len(set(map(id, _free))) == len(_free)
