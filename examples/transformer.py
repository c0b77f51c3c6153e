"""A Transformer that learns to write like a text of yours: python transformer.py mytext.txt --minutes 5

Stop it when you like; the same command goes on from mytext.pt.  In the comments: b texts at once, n pieces in each,
d numbers for a piece (the width), h heads of d_k = d / h numbers."""
import argparse, math, os, pathlib, re, sys, time, zlib
from collections import Counter, defaultdict
import torch
from torch import nn
from torch.nn import functional as F

# ---- pieces of words: byte-pair encoding
def split(text):     # words, signs, blanks: no piece goes beyond them
    found = re.findall(  # what is longer than 64 letters is cut, too
        r" ?\w{1,64}| ?[^\w\s]{1,64}|\s{1,64}", text)
    return [tuple(part.encode()) for part in found]

def join(word, pair, new):               # (a, b, c) -> (new, c)
    out, i = [], 0
    while i < len(word):
        here = word[i:i + 2] == pair
        out.append(new if here else word[i])
        i += 2 if here else 1
    return tuple(out)

def learn_merges(text, size, tell=len):      # tell: how far it is
    words = list(Counter(split(text)).items())    # how often each stands
    counts, homes = Counter(), defaultdict(set)   # of pairs, and where
    def count(k, sign):
        word, times = words[k]
        for pair in zip(word, word[1:]):
            counts[pair] += sign * times
            homes[pair].add(k)
    for k in range(len(words)):
        count(k, 1)
    merges = {}                                   # {pair: its new number}
    while 256 + len(merges) < size:
        most = max(counts.values(), default=0)
        if most < 2:
            break
        best = min(pair for pair in counts if counts[pair] == most)
        merges[best] = new = 256 + len(merges)
        for k in homes.pop(best):                 # other words stay
            count(k, -1)
            words[k] = join(words[k][0], best, new), words[k][1]
            count(k, 1)
        tell(merges)
    return merges

def encode(text, merges):
    parts, known = split(text), {}
    for part in set(parts):
        word = part
        while found := set(zip(word, word[1:])) & merges.keys():
            first = min(found, key=merges.get)   # learned first
            word = join(word, first, merges[first])
        known[part] = word
    return [piece for part in parts for piece in known[part]]

def decode(ids, merges):
    spelled = {i: bytes([i]) for i in range(256)}
    for (a, b), new in merges.items():
        spelled[new] = spelled[a] + spelled[b]
    return b"".join(spelled[i] for i in ids).decode(errors="replace")

# ---- the model
class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.qkv = h, nn.Linear(d, 3 * d)
        self.project = nn.Linear(d, d)
        self.norm_1, self.norm_2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
    def forward(self, x):                              # (b, n, d)
        b, n, d = x.shape
        qkv = self.qkv(self.norm_1(x)).view(b, n, 3, self.h, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)           # (b, h, n, d_k)
        scores = q @ k.mT / math.sqrt(d / self.h)      # (b, h, n, n)
        future = torch.ones(n, n, device=x.device).triu(1).bool()
        weights = scores.masked_fill(future, -math.inf).softmax(-1)
        heads = (weights @ v).transpose(1, 2)          # (b, n, h, d_k)
        x = x + self.project(heads.reshape(b, n, d))
        return x + self.down(F.gelu(self.up(self.norm_2(x))))

class Transformer(nn.Module):
    def __init__(self, pieces, n, d, h, layers):
        super().__init__()
        self.n, self.norm = n, nn.LayerNorm(d)
        self.words = nn.Parameter(0.02 * torch.randn(pieces, d))
        self.places = nn.Parameter(0.02 * torch.randn(n, d))
        self.blocks = nn.Sequential(
            *(Block(d, h) for _ in range(layers)))
    def forward(self, ids):             # (b, n) -> (b, n, pieces)
        x = self.words[ids] + self.places[:ids.shape[1]]
        return self.norm(self.blocks(x)) @ self.words.T
    @torch.no_grad()
    def write(self, ids, more, temperature=0.8):         # ids: (1, n)
        for _ in range(more):
            scores = self(ids[:, -self.n:])[:, -1] / temperature
            ids = torch.cat([ids, scores.softmax(-1).multinomial(1)], 1)
        return ids[0].tolist()

# ---- training
def loss_of(model, data, steps, b=32):    # each step has its own batch
    total = 0
    for step in steps:
        chance = torch.Generator().manual_seed(step)
        starts = torch.randint(len(data) - model.n, (b, 1), generator=chance)
        rows = data[starts + torch.arange(model.n + 1)].to(model.words.device)
        scores = model(rows[:, :-1])                     # (b, n, pieces)
        total += F.cross_entropy(scores.mT, rows[:, 1:])
    return total / len(steps)

def read(path, size, n, merges=None, tell=len):
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"{path} cannot be read as text in UTF-8: {error}")
    cut = len(text) * 9 // 10             # the last tenth is for tests
    merges = learn_merges(text[:cut], size, tell) if merges is None else merges
    train, test = (torch.tensor(encode(part, merges), dtype=torch.long) for part in (text[:cut], text[cut:]))
    for part, ids in {"its last tenth": test, "what comes before it": train}.items():
        if len(ids) < n + 2:
            sys.exit(f"{path} is too short: {part} has {len(ids)} pieces, and {n + 2} are needed.")
    return merges, train, test, zlib.crc32(text.encode())

def main(given=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("text")
    for name, value in {"minutes": 5.0, "width": 128, "layers": 4, "heads": 4, "context": 64, "pieces": 1024,
                        "rate": 2e-3, "steps": 10**9, "seed": 0}.items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    a = parser.parse_args(given)
    for name, value in vars(a).items():
        if name not in ("text", "seed") and not value > 0:
            parser.error(f"--{name} must be more than 0, got {value}")
    if a.width % a.heads:
        parser.error(f"--width must be a multiple of --heads, got {a.width} and {a.heads}")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    path, kept = os.path.splitext(a.text)[0] + ".pt", {}
    if os.path.exists(path):
        try:
            kept = torch.load(path, map_location=device)
            known, _ = dict(kept["of"]), dict(kept["merges"])
        except Exception:
            sys.exit(f"{path} is broken, or not of this program: move it away to begin anew.")
    merges, train, test, mark = read(a.text, a.pieces, a.context, kept.get("merges"),
                                     lambda found: print(f"\r{len(found)} merges", end="", flush=True))
    of = {"text": mark} | {name: getattr(a, name) for name in "width layers heads context pieces rate seed".split()}
    other = [f"--{name} {known.get(name)}" if name != "text" else "another text"
             for name in of if kept and known.get(name) != of[name]]
    if other:
        sys.exit(f"{path} was begun with {', '.join(other)}: give the same again, or move it away to begin anew.")
    sizes = [256 + len(merges), a.context, a.width, a.heads, a.layers]
    torch.manual_seed(a.seed % 2**63)
    model = Transformer(*sizes).to(device)
    adam = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98))
    if kept:
        model.load_state_dict(kept["model"]), adam.load_state_dict(kept["adam"])
    done, seconds = kept.get("done", 0), kept.get("seconds", 0)
    def part():                           # of the way
        return max(done / a.steps, seconds / 60 / a.minutes)
    def save():                           # whole, or not at all
        new = f"{path}.{os.getpid()}.new"     # two runs at once have two
        try:
            torch.save({"of": of, "merges": merges, "sizes": sizes, "done": done, "seconds": seconds,
                        "model": model.state_dict(), "adam": adam.state_dict()}, new)
            os.replace(new, path)
        except (OSError, RuntimeError) as error:
            sys.exit(f"\n{path} cannot be written: {error}")
    kept or save()
    saved = now = time.time()
    while part() < 1:
        rate = adam.param_groups[0]["lr"] = a.rate * min(1 - part(), (done + 1) / 100)
        loss = loss_of(model, train, [done])
        if done == 0:
            print(f"\nfirst loss {loss:.2f}, that of a guess {math.log(sizes[0]):.2f}")
            if abs(loss - math.log(sizes[0])) > 0.5:
                print("They should be nearly the same: something is wrong with the model or its first numbers.")
        adam.zero_grad(), loss.backward()
        if not all(x.isfinite().all() for x in (loss, *(p.grad for p in model.parameters()))):
            sys.exit(f"\nStep {done + 1} has a loss of {loss:.2f} and no way on. {path} is as it was: move it away, "
                     "and begin anew with a smaller --rate.")
        adam.step()
        before, now = now, time.time()
        done, seconds = done + 1, seconds + now - before
        print(f"\r[{'#' * int(30 * part()):30}] step {done}, loss {loss:.2f}, rate {rate:.4f}", end="", flush=True)
        if part() >= 1 or now - saved > 20:
            save()
            saved = now
    with torch.no_grad():
        print(f"\nloss on the last tenth: {loss_of(model, test, range(10**6, 10**6 + 20)):.3f}")
    for _ in range(3):
        print("---", decode(model.write(torch.tensor([[10]], device=device), 100), merges))    # 10 begins a line

if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")    # a console may lack letters
    main()
