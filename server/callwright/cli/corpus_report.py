"""`callwright corpus report`: what was found in a corpus, as one page for a browser.

Owns: the options of the command, where the page goes. Must not know: the page, how it is made.
"""

import sys

from callwright.cli.support.corpora import ResultOptions
from callwright.cli.support.failure import CLEAN, CommandError
from callwright.cli.support.leaving import leave
from callwright.cli.support.option_groups import PageOptions
from callwright.cli.support.output import output_to


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
    if options.address is not None and options.engine != "ray":
        raise CommandError("`--address` is that of a Ray cluster, so it goes with `--engine ray`")

    from callwright.corpus.engine import Engine, need
    from callwright.corpus.failure import CorpusError
    from callwright.text.shown import visible

    try:
        need(options.engine)
        from callwright.corpus.results import open_results
        from callwright.corpus.samples import view_of

        view = view_of(open_results(options.folder), Engine(options.engine, options.address))
    except CorpusError as error:
        raise CommandError(str(error)) from None
    except KeyboardInterrupt:
        leave()
    from callwright.report.corpus_page import corpus_page

    html = corpus_page(view, title=options.title or f"Tool calls in {options.folder}")
    if options.output_file == "-":
        sys.stdout.write(html)
        return CLEAN
    with output_to(options.output_file, None, folders=False) as out:
        out.write(html)
    print(f"Wrote {visible(options.output_file)}.", file=sys.stderr)
    return CLEAN
