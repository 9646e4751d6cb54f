"""The six small drawings of the route, one a stage, as SVG coloured by the theme."""

_TICKETS_CUT_INTO_TWO_SETS = (
    '<g class="s"><rect x="14" y="14" width="92" height="14" rx="3"/>'
    '<rect class="f" x="14" y="14" width="44" height="14" rx="3"/>'
    '<rect class="f" x="14" y="35" width="44" height="14" rx="3"/>'
    '<rect x="14" y="35" width="92" height="14" rx="3"/>'
    '<rect class="f" x="14" y="56" width="44" height="14" rx="3"/>'
    '<rect x="14" y="56" width="92" height="14" rx="3"/></g>'
    '<path class="cut" d="M66 6v72"/>'
)
_TWO_CURVES_ONE_TURNS = (
    '<g class="s"><path d="M16 8v64h90"/></g><path class="p" d="M20 16c10 30 26 44 84 50"/>'
    '<path class="o" d="M20 20c12 28 26 30 38 28s30-10 46-20"/>'
    '<circle class="y" cx="47" cy="48.5" r="5"/>'
)
_RING_OF_FOUR = (
    '<g class="s"><path d="M42 16h36M96 28v26M78 68H42M24 54V28"/></g><g class="s w">'
    '<rect x="14" y="8" width="26" height="18" rx="4"/>'
    '<rect x="80" y="8" width="26" height="18" rx="4"/>'
    '<rect x="80" y="58" width="26" height="18" rx="4"/>'
    '<rect x="14" y="58" width="26" height="18" rx="4"/></g>'
    '<path class="p" d="M72 11l7 5-7 5M91 47l5 7 5-7M48 63l-7 5 7 5M19 35l5-7 5 7"/>'
)
_FOUR_LAYERS = (
    '<g class="s"><path class="w" d="M60 46l46 15-46 15-46-15z"/>'
    '<path class="w" d="M60 33l46 15-46 15-46-15z"/>'
    '<path class="w" d="M60 20l46 15-46 15-46-15z"/>'
    '<path class="f" d="M60 7l46 15-46 15-46-15z"/></g>'
)
_A_CURVE_BROKEN_AND_MENDED = (
    '<g class="s"><path d="M16 8v64h90"/></g><path class="p" d="M20 18c8 16 16 24 28 29"/>'
    '<path class="x" d="M52 42l10 11M62 42l-10 11"/>'
    '<path class="p d" d="M48 47c6 3 12 5 18 7"/><path class="p" d="M68 55c12 4 22 6 36 8"/>'
)
_REQUESTS_IN_ANSWER_OUT = (
    '<g class="s"><rect class="w" x="44" y="18" width="34" height="48" rx="6"/></g>'
    '<path class="s" d="M10 26h26M10 42h26M10 58h26"/>'
    '<path class="p" d="M30 20l7 6-7 6M30 36l7 6-7 6M30 52l7 6-7 6"/>'
    '<path class="p" d="M84 42h24M101 35l8 7-8 7"/><circle class="y" cx="61" cy="42" r="6"/>'
)
GLYPHS = {
    "data": _TICKETS_CUT_INTO_TWO_SETS,
    "training": _TWO_CURVES_ONE_TURNS,
    "networking": _RING_OF_FOUR,
    "software": _FOUR_LAYERS,
    "operations": _A_CURVE_BROKEN_AND_MENDED,
    "serving": _REQUESTS_IN_ANSWER_OUT,
}
