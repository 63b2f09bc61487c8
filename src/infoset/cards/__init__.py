"""Cards."""
from infoset.cards.cards import *
from infoset.cards.evaluate import *
