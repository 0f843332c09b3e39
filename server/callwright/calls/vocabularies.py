"""Names of tags that are markup and no tools': those of drawings and formulas beside HTML's.

Owns: `DRAWING_NAMES`, the elements of SVG and MathML that HTML does not have. Must not know: calls, dialects.
"""

from typing import Final

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
