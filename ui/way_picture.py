"""The whole way as one picture: six stations in a row, their software and machines beneath."""

from html import escape

from course.load import load
from course.model import Way, WayStep
from ui import figure
from ui.glyphs import GLYPHS

_CSS = """
figure{margin:0}
.way{display:grid;grid-template-columns:repeat(6,minmax(0,1fr));grid-auto-flow:column;
grid-template-rows:repeat(4,auto);font-size:14.5px;line-height:1.35}
.do,.so,.ma{padding:8px 10px}
.gl{position:relative}.do{text-align:center}
.do b{display:block;font:650 16px/1.3 var(--st-heading-font);margin-bottom:3px}
.to{position:absolute;right:-9px;top:30px;width:18px;height:20px}
.to path{fill:none;stroke:var(--st-text-color);stroke-width:2.4;stroke-linecap:round;
stroke-linejoin:round}
svg.g{display:block;width:min(104px,90%);margin:0 auto 6px}
.s,.s *{fill:none;stroke:var(--st-text-color);stroke-width:2.2;stroke-linejoin:round;
stroke-linecap:round}
.s .f,.f{fill:var(--st-primary-color)!important;fill-opacity:.22}
.s.w *,.s .w{fill:var(--st-background-color)}
.p{fill:none;stroke:var(--st-primary-color);stroke-width:3.4;stroke-linecap:round}
.o,.x{fill:none;stroke:var(--st-orange-color);stroke-width:3.4;stroke-linecap:round}
.d{stroke-dasharray:1 7}.cut{fill:none;stroke:var(--st-orange-color);stroke-width:2.6;
stroke-dasharray:5 5}
.y{fill:#F2B632;stroke:var(--st-text-color);stroke-width:2}
.so,.ma{background:var(--st-secondary-background-color);border-top:2px solid}
.so{border-color:var(--st-primary-color)}.ma{border-color:var(--st-text-color)}
.so i,.ma i{display:block;font-style:normal;font-size:13px}
.back{display:block;text-align:center;font-size:14.5px;padding:10px 0 0}
@media(max-width:760px){.way{grid-template-columns:76px minmax(0,1fr);grid-auto-flow:row;
grid-template-rows:none}svg.g{width:72px;margin:8px 0 0}.gl{grid-row:span 3}
.do{text-align:left;padding:14px 0 6px}.so,.ma{padding:5px 8px}.to{display:none}
.so i,.ma i{display:inline;margin-right:6px}}
"""
_ARROW = (
    '<svg class="to" viewBox="0 0 18 20" aria-hidden="true"><path d="M2 10h13M10 4l6 6-6 6"/></svg>'
)
_BACK = (
    "Answers that somebody checked are new tickets: from the end the way leads back to its start."
)


def show(way: Way) -> None:
    """Draw the picture; its text alternative says all that it shows."""
    last = len(way.steps) - 1
    body = "".join(_station(step, is_last=i == last) for i, step in enumerate(way.steps))
    label = escape(" ".join([*map(_words, way.steps), _BACK]), quote=True)
    figure.show(
        f'<style>{_CSS}</style><figure role="img" aria-label="{label}">'
        f'<div class="way">{body}</div><span class="back">\N{ANTICLOCKWISE OPEN CIRCLE ARROW} '
        f"{_BACK}</span></figure>",
        "way",
    )


def _station(step: WayStep, *, is_last: bool) -> str:
    stage = load().stages[step.stage]
    glyph = f'<svg class="g" viewBox="0 0 120 84" aria-hidden="true">{GLYPHS[step.stage]}</svg>'
    arrow = "" if is_last else _ARROW
    return (
        f'<div class="gl">{glyph}{arrow}</div>'
        f'<div class="do"><b>{stage.number} {escape(stage.short)}</b>{escape(step.does)}'
        f'</div><div class="so"><i>Software</i>{escape(", ".join(step.software))}</div>'
        f'<div class="ma"><i>Machines</i>{escape(", ".join(step.machines))}</div>'
    )


def _words(step: WayStep) -> str:
    stage = load().stages[step.stage]
    software, machines = ", ".join(step.software), ", ".join(step.machines)
    return (
        f"{stage.number}. {stage.short}: {step.does}. Software: {software}. Machines: {machines}."
    )
