"""`callwright corpus report`: what was found in a corpus, as one page for a browser.

Owns: the options of the command, where the page goes. Must not know: the page, how it is made.
"""

from callwright.cli.support.corpora import ResultOptions, engine_of, results_of
from callwright.cli.support.failure import CLEAN
from callwright.cli.support.option_groups import PageOptions
from callwright.cli.support.output import write_page


class CorpusReportOptions(
    PageOptions,
    ResultOptions,
    examples=("callwright corpus report callwright-corpus -o report.html",),
    wording={
        "title": "The title of the page. Default: the folder.",
        "engine": "Where to count diagnostics and draw samples: on this machine or a Ray cluster.",
    },
):
    """What `callwright corpus report` takes."""


def run(options: CorpusReportOptions) -> int:
    """Write an HTML page with the results of `callwright corpus check`.

    The page is a single file that loads nothing and runs no scripts. It charts the diagnostics by severity, rule, tool,
    dialect and shard, lists the shards with the highest error rates, and shows random samples for each rule, and for
    each tool of a rule. Each sample comes with its message, its text, its place and the command that prints its row.
    The page stays small for a corpus of any size.

    Exit code: 0 if the page is written, 2 for a usage error, or if the engine fails or the page cannot be written.
    """
    engine = engine_of(options)
    with results_of(options) as results:
        from callwright.corpus.samples import view_of

        view = view_of(results, engine)
    from callwright.report.corpus_page import corpus_page

    write_page(corpus_page(view, title=options.title or f"Tool calls in {options.folder}"), options.output_file)
    return CLEAN
