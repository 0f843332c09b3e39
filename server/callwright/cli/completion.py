"""`callwright completion`: the script that lets a shell complete commands, options and their values.

Owns: the options of the command. Must not know: any shell, any command.
"""

from callwright.cli.support.completions import SHELLS, script
from callwright.cli.support.failure import CLEAN
from callwright.cli.support.names import unknown
from callwright.cli.support.options import Options, word


class CompletionOptions(Options):
    """What `callwright completion` takes."""

    shell: str = word("The shell: `bash`, `zsh` or `fish`.")


def run(options: CompletionOptions) -> int:
    """Print a script that lets a shell complete commands, options and values.

    bash: `callwright completion bash > ~/.local/share/bash-completion/completions/callwright`. zsh: `callwright
    completion zsh > _callwright` in a folder of `$fpath`. fish: `callwright completion fish >
    ~/.config/fish/completions/callwright.fish`. For the running shell alone: `eval "$(callwright completion bash)"`.
    """
    if options.shell not in SHELLS:
        raise unknown("script for", options.shell, SHELLS, "There is one for `bash`, for `zsh` and for `fish`.")
    print(script(options.shell), end="")
    return CLEAN
