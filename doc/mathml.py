"""Write formulas as MathML, which browsers draw without a script and without the network."""

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.errors import SphinxError

# What TeX sets a thin space beside: the names of functions.
FUNCTION = r"\\(?:operatorname\{\w+\}|(?:log|exp|max|min|arg|Pr)(?![A-Za-z]))"
SPACE_AFTER = re.compile(rf"({FUNCTION})\s+(?=[A-Za-z\\])(?!\\(?:left|[bB]ig))")
SPACE_BEFORE = re.compile(rf"(?<=[\w)}}\]])\s+(?={FUNCTION})")


def spaced(tex):
    """Return a formula with the spaces beside functions that TeX would set by itself."""
    return SPACE_BEFORE.sub(r"\\, ", SPACE_AFTER.sub(r"\1\\, ", tex))


def write(translator, node, as_block):
    """Write one formula; what cannot be translated ends the build, rather than show TeX."""
    try:
        translator.body.append(tex2mathml(spaced(node.astext()), as_block=as_block))
    except MathError as error:
        where = f"{translator.builder.current_docname}: {node.astext()}"
        raise SphinxError(f"{error} In the formula of {where}") from error


def write_inline(translator, node):
    """Write a formula in a line of text."""
    write(translator, node, as_block=False)
    raise nodes.SkipNode


def write_block(translator, node):
    """Write a formula of its own, which scrolls if the page is narrower."""
    translator.body.append('<div class="math-block">')
    write(translator, node, as_block=True)
    translator.body.append("</div>")
    raise nodes.SkipNode


def setup(app):
    """Let pages of HTML have MathML."""
    app.add_html_math_renderer("mathml", (write_inline, None), (write_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
