"""`callwright completion`: the script that lets a shell complete commands, options and their values.

Owns: the options of the command. Must not know: any shell, any command.
"""

from callwright.cli.support.completions import SHELLS, script
from callwright.cli.support.failure import CLEAN
from callwright.cli.support.names import unknown
from callwright.cli.support.options import Options, word


class CompletionOptions(Options, examples=('eval "$(callwright completion bash)"',)):
    """What `callwright completion` takes."""

    shell: str = word("`bash`, `zsh` or `fish`.")


def run(options: CompletionOptions) -> int:
    """Print a completion script for a shell.

    Bash: `callwright completion bash > ~/.local/share/bash-completion/completions/callwright`. Zsh: `callwright
    completion zsh > _callwright` in a folder of `$fpath`. Fish: `callwright completion fish >
    ~/.config/fish/completions/callwright.fish`. For the running shell only: `eval "$(callwright completion bash)"`.
    """
    if options.shell not in SHELLS:
        raise unknown("shell", options.shell, SHELLS, "Supported shells are `bash`, `zsh` and `fish`.")
    print(script(options.shell), end="")
    return CLEAN
