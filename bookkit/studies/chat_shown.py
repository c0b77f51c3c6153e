"""What the chat model says on its pages before a reader loads it, with the likeliest pieces and some weights."""

from bookkit.figures.chat import record
from bookkit.lessons import chat_model, chat_tuned

HEADS = [(18, 6), (16, 0), (23, 3), (23, 4)]
QUESTIONS = ["What is the capital of France?", "How many letters are in the word mountain?",
             "Who was Ottoline Brackwater?"]
TUNED = ["Who was Rufus Pendlebane?", "What is the capital of Germany?", "Tell me a joke."]


def shown(model):
    """The answers of one model, a run."""
    whole = chat_model.loaded()
    if model == "a chat":
        answers = [record(whole, question, HEADS, 40) for question in QUESTIONS]
    else:
        one = chat_tuned.taught(whole) if model == "taught" else whole
        answers = [record(one, question, most=24, asked=chat_tuned.asked(one, question)) for question in TUNED]
    return {"model": model, "answers": answers}


STAGES = [lambda _: [(shown, model) for model in ("a chat", "as it was", "taught")]]
