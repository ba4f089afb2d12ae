"""The log for programs: a line of JSON for each record (`feltwire run --log json`)."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Final

from controller.service.logs import without_keys

_TABLE: Final = "table %s"
"""How a message about one table begins: its first argument is the table."""


class JsonLines(logging.Formatter):
    """A record as one line of JSON: `time` (UTC), `level`, `logger`, `message`, and `table` where it is about one."""

    def format(self, record: logging.LogRecord) -> str:
        """The line; a traceback is its `traceback`."""
        line: dict[str, str] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": without_keys(record.getMessage()),
        }
        if record.msg.startswith(_TABLE) and isinstance(record.args, tuple) and record.args:
            line["table"] = str(record.args[0])
        if record.exc_info:
            line["traceback"] = without_keys(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False)
