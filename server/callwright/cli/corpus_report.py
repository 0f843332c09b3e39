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
    wording={
        "title": "What the page is called; the folder if nothing is said.",
        "engine": "Where findings are counted and samples drawn: by this machine, or on a Ray cluster.",
    },
):
    """What `callwright corpus report` takes."""


def run(options: CorpusReportOptions) -> int:
    """Write a page that shows what was found in a corpus, with charts and samples.

    The page is one file that loads and runs nothing, for a browser, a mail or an archive. It has charts of the findings
    by severity, rule, tool, dialect and shard, the shards with the highest error rate, and samples for each rule, and
    for each tool of a rule. These are drawn by lot; each says what is wrong, what stands there and where, and which
    command shows its row. The page stays small, however large the corpus is.

    Ends with 0 where the page is written, whatever is found; 2 where the command is misused, the engine fails or the
    page cannot be written.
    """
    engine = engine_of(options)
    with results_of(options) as results:
        from callwright.corpus.samples import view_of

        view = view_of(results, engine)
    from callwright.report.corpus_page import corpus_page

    write_page(corpus_page(view, title=options.title or f"Tool calls in {options.folder}"), options.output_file)
    return CLEAN
