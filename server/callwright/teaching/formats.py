"""The formats of JSON Schema that an example teaches.

Owns: `BY_FORMAT`. Must not know: schemas, how an example is shown.
"""

from typing import Final

#: A text in each format.
BY_FORMAT: Final = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00Z",
    "duration": "PT5M",
    "email": "ada@example.com",
    "idn-email": "ada@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "uri-reference": "docs/index.html",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "json-pointer": "/items/0",
    "regex": "^a+$",
}
