"""Draws icons/callwright.png, 256 by 256: angle brackets around a wrench-like slash, on a rounded tile.

Owns: the icon's shape and colours. Must not know: anything else. Run it again after changing the shape.
"""

import struct
import zlib
from pathlib import Path

SIZE = 256
SAMPLES = 3
TILE = (24, 42, 68)
BRACKET = (104, 178, 240)
SLASH = (240, 170, 66)
RADIUS = 52.0
BRACKETS = (
    ((86.0, 76.0), (42.0, 128.0)),
    ((42.0, 128.0), (86.0, 180.0)),
    ((170.0, 76.0), (214.0, 128.0)),
    ((214.0, 128.0), (170.0, 180.0)),
)
STROKE = (((141.0, 88.0), (115.0, 168.0)),)


def distance(x: float, y: float, a: tuple[float, float], b: tuple[float, float]) -> float:
    """Return how far (x, y) is from the line between a and b."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    t = max(0.0, min(1.0, ((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy)))
    return float(((x - a[0] - t * dx) ** 2 + (y - a[1] - t * dy) ** 2) ** 0.5)


def colour(x: float, y: float) -> tuple[int, int, int, int]:
    """Return the colour at one sample point, with its opacity."""
    cx, cy = min(max(x, RADIUS), SIZE - RADIUS), min(max(y, RADIUS), SIZE - RADIUS)
    if (x - cx) ** 2 + (y - cy) ** 2 > RADIUS**2:
        return (*TILE, 0)
    if any(distance(x, y, a, b) < 13 for a, b in STROKE):
        return (*SLASH, 255)
    if any(distance(x, y, a, b) < 13 for a, b in BRACKETS):
        return (*BRACKET, 255)
    return (*TILE, 255)


def pixel(column: int, row: int) -> bytes:
    """Return one pixel: the mean of its samples."""
    points = [(column + (i + 0.5) / SAMPLES, row + (j + 0.5) / SAMPLES) for i in range(SAMPLES) for j in range(SAMPLES)]
    samples = [colour(x, y) for x, y in points]
    return bytes(round(sum(sample[k] for sample in samples) / len(samples)) for k in range(4))


def chunk(kind: bytes, data: bytes) -> bytes:
    """Return one PNG chunk."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def main() -> None:
    """Write the file."""
    rows = b"".join(b"\0" + b"".join(pixel(column, row) for column in range(SIZE)) for row in range(SIZE))
    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 6, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    (Path(__file__).parents[1] / "icons" / "callwright.png").write_bytes(png)


if __name__ == "__main__":
    main()
