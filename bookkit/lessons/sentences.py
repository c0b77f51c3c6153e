"""Sentences to ask a real model about: words of two senses, an *it* that the last word decides, pairs to compare."""

# A word of two senses, always the second word of a sentence; how it goes on in each sense.
SENSES = {
    "bank": (["lent her the money for a house", "raised its interest rates again", "closed my account without a word",
              "opens at nine on weekdays", "asked for two signatures", "charges a fee for each transfer",
              "was robbed by three men in masks", "sent me a new credit card"],
             ["was covered with reeds and mud", "gave way and he slid into the water", "is steep where the river bends",
              "was lined with willows", "lay under water after the flood", "is where the otters sleep",
              "rose gently from the stream", "was a good place for fishing"]),
    "bat": (["flew out of the cave at dusk", "hung upside down from a beam", "hunts moths in the dark",
             "folded its thin wings", "gave birth to a single pup", "squeaked somewhere under the roof",
             "found its way by echoes", "slept through the whole winter"],
            ["was made of ash wood", "hit the ball over the fence", "broke in two at the first swing",
             "leaned against the wall of the clubhouse", "felt too heavy for the boy", "is swung with both hands",
             "cost the team forty dollars", "needs fresh tape on its handle"]),
    "spring": (["came late and the lambs were cold", "brought the first crocuses", "is when the swallows return",
                "was rainy and ended in June", "follows the winter at last", "made everybody in town cheerful",
                "began with a warm week in March", "is the season for planting beans"],
               ["snapped and the clock stopped", "in the mattress was broken", "pushes the valve shut",
                "is made of hardened steel", "was stretched beyond its limit", "under the seat squeaks",
                "stores energy when it is wound", "returns to its old length"]),
}

# "The ... did not ... the ... because it was too ...": the first or the second noun, as the last word has it.
DECIDED_LAST = [
    ("animal", "cross", "road", "tired", "wide"), ("girl", "climb", "wall", "weak", "high"),
    ("dog", "jump", "fence", "old", "tall"), ("man", "lift", "box", "lazy", "heavy"),
    ("boy", "read", "book", "sleepy", "long"), ("horse", "pull", "cart", "ill", "full"),
    ("cook", "cut", "bread", "clumsy", "hard"), ("child", "eat", "soup", "fussy", "salty"),
    ("thief", "open", "safe", "nervous", "strong"), ("cat", "reach", "shelf", "fat", "far"),
    ("driver", "pass", "bridge", "drunk", "narrow"), ("baker", "sell", "cake", "proud", "dry"),
    ("nurse", "move", "bed", "tired", "heavy"), ("king", "enter", "tent", "vain", "dirty"),
    ("guest", "drink", "tea", "polite", "hot"), ("pupil", "solve", "riddle", "dull", "tricky"),
    ("goat", "leave", "barn", "scared", "cosy"), ("hunter", "cross", "river", "careful", "deep"),
    ("mouse", "take", "cheese", "shy", "large"), ("tailor", "sew", "cloth", "drowsy", "thick"),
]

# A sentence, its contrary and the same in other words.
TRIPLES = [
    ("I like tea.", "I do not like tea.", "Tea is something I enjoy."),
    ("The shop is open today.", "The shop is not open today.", "You can buy things there today."),
    ("She trusts her brother.", "She does not trust her brother.", "She has faith in her sibling."),
    ("The train arrived on time.", "The train did not arrive on time.", "The railway was punctual."),
    ("He can swim.", "He cannot swim.", "He knows how to move through water."),
    ("The film was good.", "The film was not good.", "I enjoyed that movie."),
    ("They sold the house.", "They did not sell the house.", "Their home went to a buyer."),
    ("The soup is hot.", "The soup is not hot.", "That broth may burn your tongue."),
    ("We won the match.", "We did not win the match.", "Our team came out on top."),
    ("The road is safe at night.", "The road is not safe at night.", "One can walk there after dark without fear."),
    ("My car started this morning.", "My car did not start this morning.", "The engine of my vehicle ran today."),
    ("The child is asleep.", "The child is not asleep.", "The little one has nodded off."),
    ("This water is clean.", "This water is not clean.", "You may drink this without worry."),
    ("The doctor answered my letter.", "The doctor did not answer my letter.", "My physician wrote back."),
    ("It rained last week.", "It did not rain last week.", "There were showers some days ago."),
    ("The bridge is finished.", "The bridge is not finished.", "They have completed the crossing."),
    ("Her answer was right.", "Her answer was not right.", "What she replied was correct."),
    ("The dog bites.", "The dog does not bite.", "That animal may hurt you with its teeth."),
    ("The key fits the lock.", "The key does not fit the lock.", "You can open the door with it."),
    ("He paid for dinner.", "He did not pay for dinner.", "The meal was on him."),
]
