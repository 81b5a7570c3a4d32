"""The names that TeX has for signs, for words that are set upright, and for letters of other kinds.

Pure tables; `formulas.py` reads them.
"""

from __future__ import annotations

from typing import Final

from webapp.web.formula_parts import letter, operator, space, word


def _table(words: str) -> dict[str, str]:
    each = words.split()
    return dict(zip(each[::2], each[1::2], strict=True))


# Set as letters.
LETTERS: Final = _table("""
alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι
kappa κ lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ
upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ
Upsilon Υ Phi Φ Psi Ψ Omega Ω infty ∞ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ beth ℶ partial ∂ nabla ∇
emptyset ∅ varnothing ∅ imath ı jmath ȷ wp ℘ top ⊤ bot ⊥ angle ∠ triangle △ degree ° prime ′
hslash ℏ complement ∁ square □ Box □ blacksquare ■ checkmark ✓ S § P ¶ dagger † ddagger ‡
""")

# Set as operators, with the room around them that the browser knows.
OPERATORS: Final = _table("""
times × div ÷ cdot ⋅ ast ∗ star ⋆ pm ± mp ∓ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ oslash ⊘
odot ⊙ wedge ∧ land ∧ vee ∨ lor ∨ cap ∩ cup ∪ sqcap ⊓ sqcup ⊔ setminus ∖ smallsetminus ∖ wr ≀
amalg ⨿ neg ¬ lnot ¬ le ≤ leq ≤ leqslant ⩽ ge ≥ geq ≥ geqslant ⩾ lt < gt > ne ≠ neq ≠ equiv ≡
sim ∼ simeq ≃ approx ≈ cong ≅ propto ∝ ll ≪ gg ≫ prec ≺ succ ≻ preceq ⪯ succeq ⪰ in ∈ notin ∉
ni ∋ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ subsetneq ⊊ supsetneq ⊋ nsubseteq ⊈ sqsubseteq ⊑
sqsupseteq ⊒ mid ∣ nmid ∤ parallel ∥ nparallel ∦ perp ⟂ vdash ⊢ dashv ⊣ models ⊨ vDash ⊨ doteq ≐
asymp ≍ bowtie ⋈ forall ∀ exists ∃ nexists ∄ therefore ∴ because ∵ to → rightarrow → gets ←
leftarrow ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹ impliedby ⟸
iff ⟺ mapsto ↦ longrightarrow ⟶ longleftarrow ⟵ longleftrightarrow ⟷ Longrightarrow ⟹
Longleftarrow ⟸ Longleftrightarrow ⟺ longmapsto ⟼ uparrow ↑ downarrow ↓ updownarrow ↕ Uparrow ⇑
Downarrow ⇓ nearrow ↗ searrow ↘ swarrow ↙ nwarrow ↖ hookrightarrow ↪ hookleftarrow ↩
rightharpoonup ⇀ rightharpoondown ⇁ leftharpoonup ↼ rightleftharpoons ⇌ leadsto ⇝ rightsquigarrow ⇝
twoheadrightarrow ↠ dots … ldots … cdots ⋯ vdots ⋮ ddots ⋱ dotsc … dotsb ⋯ dotsm ⋯ dotsi ⋯
colon : coloneqq ≔ triangleq ≜ lesssim ≲ gtrsim ≳ vert | lvert | rvert | Vert ‖ lVert ‖ rVert ‖
lbrace { rbrace } lbrack [ rbrack ] langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ backslash \\
ltimes ⋉ rtimes ⋊ trianglelefteq ⊴ vartriangleleft ⊲ upharpoonright ↾ restriction ↾ And & surd √
""")

# Signs that carry limits below and above where there is room.
LARGE: Final = _table("""
sum ∑ prod ∏ coprod ∐ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigodot ⨀ bigvee ⋁ bigwedge ⋀
bigsqcup ⨆ biguplus ⨄
""")
INTEGRALS: Final = _table("int ∫ iint ∬ iiint ∭ oint ∮ oiint ∯")

# Words; the second kind carry limits too.
FUNCTIONS: Final = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "arcsin",
        "arccos",
        "arctan",
        "sinh",
        "cosh",
        "tanh",
        "coth",
        "log",
        "ln",
        "lg",
        "exp",
        "arg",
        "deg",
        "dim",
        "hom",
        "ker",
    ]
)
LIMITS: Final = {
    **{name: name for name in ["lim", "max", "min", "sup", "inf", "det", "gcd", "Pr"]},
    "limsup": "lim sup",
    "liminf": "lim inf",
    "argmax": "arg max",
    "argmin": "arg min",
}

ACCENTS: Final = _table("""
hat ^ widehat ^ bar ¯ overline ¯ vec → overrightarrow → overleftarrow ← dot ˙ ddot ¨ dddot ⃛ tilde ~
widetilde ~ check ˇ breve ˘ acute ´ grave ` mathring ˚ overbrace ⏞ overbracket ⎴
""")
UNDER: Final = _table("underline _ underbrace ⏟ underbracket ⎵")

_SPACES: Final = _table("""
, 0.17em : 0.22em > 0.22em ; 0.28em ! 0em quad 1em qquad 2em enspace 0.5em thinspace 0.17em
medspace 0.22em thickspace 0.28em
""")
# What says how, not what.
_SILENT: Final = (
    "displaystyle textstyle scriptstyle scriptscriptstyle limits nolimits nonumber notag "
    "allowbreak relax mathstrut strut"
)

# What they take is words: a name, or prose.
UPRIGHT: Final = frozenset({"mathrm", "operatorname", "operatorname*", "mathit"})
WORDS: Final = frozenset(["text", "textrm", "textnormal", "textbf", "textit", "texttt", "mbox"])

# Commands that take nothing, ready to be written.
PLAIN: Final = {
    **{name: letter(sign) for name, sign in LETTERS.items()},
    **{name: operator(sign) for name, sign in (OPERATORS | LARGE | INTEGRALS).items()},
    **{name: operator(words, limits=True) for name, words in LIMITS.items()},
    **{name: word(name) for name in FUNCTIONS},
    **{name: space(width) for name, width in _SPACES.items()},
    **dict.fromkeys(_SILENT.split(), ""),
    **{sign: operator(sign) for sign in "{}%#$&_"},
    "|": operator("‖"),
    " ": space("0.25em"),
    "bmod": operator("mod"),
}
SIZES: Final = frozenset(
    size + side for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m")
)

# Where the capital A, the small a and the digit 0 of a kind of letters begin.
_KINDS: Final = {
    "mathbf": (0x1D400, 0x1D41A, 0x1D7CE),
    "boldsymbol": (0x1D468, 0x1D482, 0x1D7CE),
    "bm": (0x1D468, 0x1D482, 0x1D7CE),
    "mathbb": (0x1D538, 0x1D552, 0x1D7D8),
    "mathcal": (0x1D49C, 0x1D4B6, 0),
    "mathscr": (0x1D49C, 0x1D4B6, 0),
    "mathfrak": (0x1D504, 0x1D51E, 0),
    "mathsf": (0x1D5A0, 0x1D5BA, 0x1D7E2),
    "mathtt": (0x1D670, 0x1D68A, 0x1D7F6),
}
# Letters that were there before the others of their kind were.
_OLD: Final = {
    "mathbb": _table("C ℂ H ℍ N ℕ P ℙ Q ℚ R ℝ Z ℤ"),
    "mathcal": _table("B ℬ E ℰ F ℱ H ℋ I ℐ L ℒ M ℳ R ℛ e ℯ g ℊ o ℴ"),
    "mathfrak": _table("C ℭ H ℌ I ℑ R ℜ Z ℨ"),
}
KINDS: Final = frozenset(_KINDS)


def letter_of(kind: str, letter: str) -> str:
    """`letter` as one of a kind that TeX names; the same where there is none."""
    old = _OLD.get("mathcal" if kind == "mathscr" else kind, {})
    if letter in old:
        return old[letter]
    capital, small, digit = _KINDS[kind]
    for first, start in (("A", capital), ("a", small), ("0", digit)):
        place = ord(letter) - ord(first)
        if start and 0 <= place < (10 if first == "0" else 26):
            return chr(start + place)
    return letter
