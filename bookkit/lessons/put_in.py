"""Names of newer models, put into the story model: each changes the blocks before they are trained.

A change is a function of a block, a `StoryBlock`; `StoryTask.train` takes it as ``change``.
"""

from torch import nn

from attnkit import rotary, scaled_dot

GATED = 43                   # units of a gated MLP that has nearly as many numbers as one of 64 units: three matrices


class SwiGLU(nn.Module):
    """Half of what comes in, bent, says how much of the other half passes (Shazeer 2020)."""

    def forward(self, x):
        """Items (..., 2 h): (..., h)."""
        gate, up = x.chunk(2, dim=-1)
        return nn.functional.silu(gate) * up


def rms_norm(block):
    """Norms that take no mean away and add nothing (Zhang and Sennrich 2019)."""
    block.attention_norm = nn.RMSNorm(block.w_query.shape[0])
    block.mlp_norm = nn.RMSNorm(block.w_query.shape[0])


def gelu(block):
    """A smooth bend in the place of the corner of ReLU (Hendrycks and Gimpel 2016)."""
    block.mlp[1] = nn.GELU()


def gated(block):
    """An MLP in which one product says how much of another passes."""
    width = block.w_query.shape[0]
    block.mlp = nn.Sequential(nn.Linear(width, 2 * GATED), SwiGLU(), nn.Linear(GATED, width))


def turned(block):
    """Queries and keys turned by their places, in the place of a number for each distance (Su et al. 2021)."""
    block.bias.requires_grad_(False)
    block.score = lambda query, key: scaled_dot(rotary(query), rotary(key))


def all_at_once(block):
    """Norms, MLP and positions as in Llama."""
    for change in (rms_norm, gated, turned):
        change(block)


class Experts(nn.Module):
    """A mixture of MLPs: a router chooses one for each item (Fedus et al., 2022).

    All are computed here, for few lines; a model that is to be fast computes only the chosen one.
    """

    COUNT = 4

    def __init__(self, width, hidden):
        super().__init__()
        self.router = nn.Linear(width, self.COUNT, bias=False)
        self.mlps = nn.ModuleList(
            nn.Sequential(nn.Linear(width, hidden), nn.ReLU(),
                          nn.Linear(hidden, width))
            for _ in range(self.COUNT))

    def forward(self, x):
        """Items (..., d): what the chosen MLP makes of each, times the router's share for it."""
        shares = self.router(x).softmax(dim=-1)      # (..., experts)
        best = shares.max(dim=-1, keepdim=True).values
        chosen = shares * (shares == best)           # one for each item
        return sum(chosen[..., [k]] * mlp(x)
                   for k, mlp in enumerate(self.mlps))


def experts(block):
    """Four MLPs in the place of one, of which a router chooses."""
    first, _, _ = block.mlp
    block.mlp = nn.Sequential(nn.Identity(), nn.Identity(), Experts(first.in_features, first.out_features))


CHANGES = {"as it is": None, "RMSNorm": rms_norm, "GELU": gelu, "SwiGLU": gated, "rotary": turned,
           "all but GELU": all_at_once}
