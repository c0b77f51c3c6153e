"""The studies behind `data/measured/`: models trained from many random starts, a module for each file of results.

A study is a list of stages. A stage is a function that gets the runs of the stages before it and gives jobs, each a
function with its arguments; a job trains a model on one thread, examines it and gives a run, a dict that is written
down. ``python -m tools.study`` runs them.

Seeds are fixed in each module, before anything was run with them; every run is written down, the bad ones too.
Recall, reviews, reach and digits are contests, so every model is tuned with the same number of trials first, on
examples and seeds of their own, and the trials are written down too.
"""

from bookkit.studies import (
    answering,
    ask_the_book,
    both_sides,
    chat_model,
    chat_tuned,
    copying,
    dense_layers,
    digits,
    encoder_decoder,
    few_sentences,
    layers,
    learned_score,
    longer_translation,
    low_rank,
    moved_parts,
    multi_head,
    own_text,
    preferences,
    put_in,
    reach,
    recall,
    reviews,
    sizes,
    stopped,
    stories,
    story_heads,
    training_bugs,
    translation,
    tuned_kinds,
)

# By the name of the file of results: a module says in its first line what it asks, and in STAGES what is run.
STUDIES = {module.__name__.rpartition(".")[2]: module for module in (
    translation, longer_translation, learned_score, copying, multi_head, recall, stories, story_heads,
    moved_parts, layers, reviews, reach, digits, dense_layers, ask_the_book, sizes, stopped,
    encoder_decoder, both_sides, training_bugs, answering, low_rank, preferences, put_in,
    own_text, few_sentences, tuned_kinds, chat_model, chat_tuned)}
