"""Names of tags that are not tools: those of HTML, of drawings and formulas, of frames and of results.

Owns: `HTML_NAMES`, `DRAWING_NAMES`, the elements of SVG and MathML that HTML does not have, `FRAME_NAMES`,
`RESULT_TAGS`. Must not know: calls, dialects.
"""

from typing import Final

_HTML: Final = """
    a abbr acronym address applet area article aside audio b base basefont bdi bdo big blink blockquote body br button
    canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset
    figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img
    input ins kbd label legend li link main map mark marquee math menu meta meter nav nobr noframes noscript object ol
    optgroup option output p param picture plaintext pre progress q rp rt ruby s samp script search section select slot
    small source span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title
    tr track tt u ul var video wbr xmp
"""
#: Elements of HTML (WHATWG's index, obsolete ones included): never calls without a tool of the name.
HTML_NAMES: Final = frozenset(_HTML.split())

_SVG: Final = """
    animate animateMotion animateTransform circle clipPath defs desc ellipse feBlend feColorMatrix feComponentTransfer
    feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB
    feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting
    feSpotLight feTile feTurbulence filter foreignObject g line linearGradient marker mask metadata mpath path pattern
    polygon polyline radialGradient rect set stop switch symbol text textPath tspan use view
"""
_MATHML: Final = """
    annotation annotation-xml maction menclose merror mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom
    mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none
    semantics
"""
DRAWING_NAMES: Final = frozenset((*_SVG.split(), *_MATHML.split()))

_FRAMES: Final = """
    tool_call tool_calls tool_name tool_use tool_result tool_results tool_response tool_responses tool_output tool_error
    function_call function_calls function_result function_results arg_key arg_value tool tools function functions
"""
#: Names that other dialects use for their frames; a bare tag of such a name is never a tool's by its shape alone.
FRAME_NAMES: Final = frozenset(_FRAMES.split())
#: The tags of results, here and in prompts of many agents.
RESULT_TAGS: Final = frozenset(
    {"tool_response", "tool_responses", "tool_result", "tool_results", "tool_output", "tool_outputs", "tool_error"}
    | {"function_response", "function_responses", "function_result", "function_results", "function_output", "result"}
)
