"""Runs a decoder: a program that is given captures on its standard input, and answers on its output."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
from collections.abc import AsyncIterator, Sequence
from typing import Final, NamedTuple

import msgspec

from controller.conformance.captures import Capture, suite
from controller.conformance.copies import AS_IT_IS, Copy
from controller.conformance.judge import Deviation, GarbageError, Judge, Kind
from controller.conformance.line_text import END
from hal.plain_text import plain

LINE_BYTES: Final = 64 * 1024
"""The longest line of a decoder (ours); our events have 2 kB."""
MOST_BYTES: Final = 4 * 1024 * 1024
"""All that a decoder may answer to one capture (ours)."""
MOST_LINES: Final = 20_000
"""The same of its lines (ours); our longest answer has 300."""
KEPT_ERRORS: Final = 400
"""Bytes of the end of standard error that a report shows."""
NAMED: Final = "name an executable file by its path (./decoder), or one that is in PATH"
OVERLOADED: Final = "that is this computer's limit, and not the decoder's: end other programs, and start it again"
FIXES: Final = {
    errno.ENOEXEC: "begin a script with the line that names its interpreter, such as #!/usr/bin/env python3; a "
    "compiled one has to be for this kind of processor",
    **dict.fromkeys((errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE), OVERLOADED),
}
"""What to do where the system cannot start a decoder, by its error."""


class DecoderError(Exception):
    """A decoder cannot be asked; the message has the cause."""


class Declaration(msgspec.Struct, frozen=True):
    """The first line of a decoder, which it writes before it reads anything."""

    decoder: str
    """Its name and version."""
    suite: str
    """The version of the suite that it was written for."""
    devices: list[str]
    """What it handles."""


class _EndedError(Exception):
    """The decoder has ended, or its output has."""


class _FloodError(Exception):
    """The decoder writes more than it may."""


class _Process:
    """One run of a decoder."""

    def __init__(self, process: asyncio.subprocess.Process, transport: asyncio.SubprocessTransport) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise DecoderError("the decoder has no pipes")
        self._process, self._transport = process, transport
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._written = self._lines = 0
        self._errors = b""
        self._reading_errors = asyncio.create_task(self._read_errors())

    async def line(self) -> bytes:
        """Its next line.

        Raises:
            _EndedError: it has written its last one.
            _FloodError: the line, or all lines together, are too long.
        """
        try:
            line = await self._stdout.readuntil(b"\n")
        except asyncio.IncompleteReadError as error:
            self._written += len(error.partial)
            raise _EndedError from error
        except asyncio.LimitOverrunError as error:
            raise _FloodError(f"a line of more than {LINE_BYTES} bytes") from error
        self._written += len(line)
        self._lines += 1
        if self._written > MOST_BYTES or self._lines > MOST_LINES:
            raise _FloodError(f"more than {MOST_BYTES} bytes or {MOST_LINES} lines")
        return line

    async def send(self, lines: Sequence[str]) -> None:
        """Gives it lines. Whether it still reads them shows in what it answers."""
        with contextlib.suppress(ConnectionError):
            self._stdin.write(("\n".join(lines) + "\n").encode())
            await self._stdin.drain()

    def close_input(self) -> None:
        """Nothing follows."""
        self._stdin.close()

    async def ended(self, seconds: float) -> str:
        """Waits for its end, and says how it ended."""
        try:
            async with asyncio.timeout(seconds):
                code = await self._process.wait()
                await asyncio.shield(self._reading_errors)
        except TimeoutError:
            return "its output closed; the decoder runs on"
        how = f"code {code}" if code >= 0 else f"signal {_signal(-code)}"
        errors = plain(self._errors.decode("utf-8", "backslashreplace").strip())
        return f"{how}, its last words: {errors}" if errors else how

    @property
    def code(self) -> int | None:
        """Its exit code, once it has ended."""
        return self._process.returncode

    async def kill(self) -> None:
        """Ends it, and every process that it has started in its group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        # Who has left the group with an end of a pipe in its hand is not waited for.
        self._transport.close()
        await self._process.wait()
        self._reading_errors.cancel()
        await asyncio.gather(self._reading_errors, return_exceptions=True)

    async def _read_errors(self) -> None:
        while read := await self._stderr.read(LINE_BYTES):
            self._errors = (self._errors + read)[-KEPT_ERRORS:]


class Runner(NamedTuple):
    """Runs a decoder."""

    command: Sequence[str]
    seconds: float
    """It may take this long for one answer."""

    async def declared(self) -> Declaration:
        """What the decoder declares.

        Raises:
            DecoderError: it cannot be started, or declares nothing that can be read.
            SuiteError: the suite is damaged.
        """
        async with self._started() as process:
            process.close_input()
            try:
                async with asyncio.timeout(self.seconds):
                    line = await process.line()
                    with contextlib.suppress(_EndedError):
                        while True:
                            await process.line()
            except TimeoutError as error:
                what = f"with nothing on its input it declares itself and ends; it did not within {self.seconds:g} s"
                raise DecoderError(what) from error
            except _EndedError as error:
                how = await process.ended(self.seconds)
                raise DecoderError(f"it ended without a line: {how}; {_declares()}") from error
            except _FloodError as error:
                raise DecoderError(f"its declaration is {error}") from error
            how = await process.ended(self.seconds)
        try:
            declaration = msgspec.json.decode(line, type=Declaration)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise DecoderError(f"its first line is not a declaration: {error}; {_declares()}") from error
        if process.code != 0:
            raise DecoderError(f"it declared itself, and then: {how}")
        return declaration

    async def play(self, capture: Capture, declaration: Declaration, copy: Copy = AS_IT_IS) -> list[Deviation]:
        """Gives the decoder a copy of a capture, and everything that is wrong with its answers.

        Raises:
            DecoderError: it cannot be started.
        """
        judge = Judge(capture, copy)
        lines = capture.lines()
        async with self._started() as process:
            sending: asyncio.Task[None] | None = None
            try:
                async with asyncio.timeout(self.seconds):
                    self._declare_again(judge, await process.line(), declaration)
                for step in judge.steps(lines):
                    async with asyncio.timeout(self.seconds):
                        sending = asyncio.create_task(process.send(step.lines))
                        while not judge.answer(await process.line()):
                            pass
                        await sending
                async with asyncio.timeout(self.seconds):
                    await self._end(judge, process)
                how = await process.ended(self.seconds)
                if process.code != 0:
                    judge.fail(Kind.CRASH, "its end, with code 0", how)
            except GarbageError:
                pass
            except TimeoutError:
                judge.fail(Kind.HANG, f"an answer within {self.seconds:g} s", "none")
            except _EndedError:
                judge.fail(Kind.CRASH, "an answer", await process.ended(self.seconds))
            except _FloodError as error:
                judge.fail(Kind.FLOOD, "events of a round", str(error))
            finally:
                if sending is not None:
                    sending.cancel()
                    await asyncio.gather(sending, return_exceptions=True)
        return judge.finish()

    def _declare_again(self, judge: Judge, line: bytes, declaration: Declaration) -> None:
        try:
            same = msgspec.json.decode(line, type=Declaration) == declaration
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            same = False
        if not same:
            judge.fail(Kind.GARBAGE, "the line with which it declared itself before", repr(line[:KEPT_ERRORS])[1:])
            raise GarbageError

    async def _end(self, judge: Judge, process: _Process) -> None:
        """Ends the capture: what the decoder still writes is judged, and so is how it ends."""
        await process.send([END])
        process.close_input()
        with contextlib.suppress(_EndedError):
            while True:
                if judge.answer(await process.line()):
                    judge.fail(Kind.GARBAGE, "each `until` answered once", "another answer")
                    raise GarbageError
        judge.end()

    @contextlib.asynccontextmanager
    async def _started(self) -> AsyncIterator[_Process]:
        pipe = asyncio.subprocess.PIPE
        loop = asyncio.get_running_loop()
        try:
            # As `asyncio.create_subprocess_exec`, which keeps the transport to itself.
            transport, protocol = await loop.subprocess_exec(
                lambda: asyncio.subprocess.SubprocessStreamProtocol(limit=LINE_BYTES, loop=loop),
                *self.command,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            cause = error.strerror if isinstance(error, OSError) else error
            fix = FIXES.get(error.errno or 0, NAMED) if isinstance(error, OSError) else NAMED
            raise DecoderError(f"it cannot be started: {cause}; {fix}") from error
        process = _Process(asyncio.subprocess.Process(transport, protocol, loop), transport)
        try:
            yield process
        finally:
            await process.kill()


def _declares() -> str:
    """What a decoder lacks that declares nothing."""
    declaration = f'{{"decoder": "mine 1.0", "suite": "{suite().version}", "devices": ["money_wheel"]}}'
    return f"a decoder first writes a line such as {declaration} (docs/conformance.md, A decoder)"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
