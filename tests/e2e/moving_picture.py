"""Makes a moving picture of the frames that a step has taken in VS Code.

    uv run --no-project --with-requirements tests/e2e/moving_picture.txt tests/e2e/moving_picture.py FRAMES PICTURE.gif

`FRAMES` holds pictures and `frames.json`: their names in order, each with the milliseconds that it is shown. The same
frames make the same picture: one palette for all of them, no dithering, and only what changed is written.

Owns: colours and times of the picture. Must not know: what is shown.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PIL import Image  # type: ignore[import-not-found]

COLOURS = 255


def main(folder: Path, picture: Path) -> None:
    """Write the picture; frames that equal the one before lengthen it."""
    listed = json.loads((folder / "frames.json").read_text(encoding="utf-8"))
    frames: list[Image.Image] = []
    times: list[int] = []
    for name, shown in listed:
        frame = Image.open(folder / name).convert("RGB")
        if frames and frame.tobytes() == frames[-1].tobytes():
            times[-1] += shown
        else:
            frames.append(frame)
            times.append(shown)
    width, height = frames[0].size
    # The longest shown frames have the colours of all others.
    chosen = sorted(range(len(frames)), key=lambda at: -times[at])[:4]
    sheet = Image.new("RGB", (width, height * len(chosen)))
    for row, at in enumerate(chosen):
        sheet.paste(frames[at], (0, row * height))
    palette = sheet.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    drawn = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    picture.parent.mkdir(parents=True, exist_ok=True)
    drawn[0].save(picture, save_all=True, append_images=drawn[1:], duration=times, loop=0, disposal=1, optimize=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
