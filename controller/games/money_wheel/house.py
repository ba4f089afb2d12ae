"""`[house]` of a money wheel: spaces, faces, payouts and turns of a wheel that is not the State's."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from controller.rules.cited import OURS
from controller.rules.house import HouseKeys, Words, ours
from controller.rules.profile import Data

MOST_SPACES = 200


class HouseFace(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of `faces` in `[house]`: one kind of space."""

    face: Annotated[Words, Meta(description="what the spaces show", examples=["star"])]
    count: Annotated[int, Meta(ge=1, le=MOST_SPACES, description="how many spaces show it", examples=[4])]
    odds: Annotated[int, Meta(ge=1, le=10_000, description="what it pays to 1", examples=[10])]


class MoneyWheelHouse(HouseKeys, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of `[house]` at a money wheel."""

    spaces: Annotated[
        Annotated[int, Meta(ge=3, le=MOST_SPACES)] | None,
        Meta(description="how many spaces the wheel has; required with faces", examples=[54], extra={"cite": OURS}),
    ] = None
    faces: Annotated[
        tuple[HouseFace, ...],
        Meta(
            max_length=40,
            description="the faces: { face, count, odds } for each; their order on the wheel is `faces` of the device",
            extra={"cite": OURS},
        ),
    ] = ()
    minimum_revolutions: Annotated[
        Annotated[int, Meta(ge=1, le=6)] | None,
        Meta(description="complete revolutions of a valid spin; without it 3", examples=[2], extra={"cite": OURS}),
    ] = None

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between the keys: key, what, fix."""
        if not self.faces:
            wrong = "is given, and the faces that fill them are not"
            return [] if self.spaces is None else [("faces", wrong, "list every face: { face, count, odds }")]
        if self.spaces is None:
            return [("spaces", "is missing, and faces need it", f"add spaces = {sum(one.count for one in self.faces)}")]
        found = [
            (f"faces[{index}].face", f"{one.face!r} is listed before", "give each face one entry, with all its spaces")
            for index, one in enumerate(self.faces)
            if one.face in [before.face for before in self.faces[:index]]
        ]
        filled = sum(one.count for one in self.faces)
        if filled != self.spaces:
            wrong = f"the faces fill {filled} spaces, and the wheel has {self.spaces}"
            found.append(("faces", wrong, f"correct the counts, or write spaces = {filled}"))
        return found

    def changes(self, section: Data) -> Data:
        """Spaces, faces and turns, marked as ours."""
        found = self.calls(section)
        if self.minimum_revolutions is not None:
            found["minimum_revolutions"] = ours(self.minimum_revolutions)
        if self.faces:
            spaces = sum(one.count for one in self.faces)
            found["spaces"], found["layout_spaces"] = ours(spaces), ours(len(self.faces))
            ordered = sorted(self.faces, key=lambda one: -one.count)
            found["faces"] = [{"face": f.face, "count": ours(f.count), "odds": ours(f.odds)} for f in ordered]
        return found
