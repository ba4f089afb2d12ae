"""How a vertical wheel slows and comes to rest against its flapper.

A fast wheel loses speed almost evenly (0.09 to 0.16 rev/s²): bearing friction, a little drag, and the flapper
snapping over a peg in every space. On a slow wheel each peg must bend the flapper before it can pass. When the wheel
has too little energy left, the flapper pushes it back, and it rocks between two pegs until friction holds it.

    energy to bend the flapper, over one space
        peg                 peg
         ╲                   ╱
          ╲                 ╱          ½ Ω² (|x| - play)²
           ╲_______________╱           x from the middle of the space
               free play

Passing a peg spends the energy of the snap. All energies are per moment of inertia, in (deg/s)². The slow part goes in
steps by the implicit midpoint rule, in which the energy lost is exactly the work of friction: it can only fall.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import copysign, floor, sqrt
from random import Random

from simulators.base.motion import Path

SLOW_DEG_S = 150.0
"""Below this speed the flapper is calculated peg by peg."""
COAST_STEP_S = 0.05
ROCK_STEP_S = 0.004
LEAST_SPEED_DEG_S = 0.05
"""A wheel that has just cleared a peg keeps at least this: it cannot rest on a peg's top."""


@dataclass(frozen=True, slots=True)
class Flapper:
    """One wheel's friction and flapper."""

    space_deg: float
    bearing_deg_s2: float
    """Constant loss in the bearing."""
    drag_per_s: float
    """Loss for each deg/s of speed."""
    snap_energy: float
    """Lost at each peg."""
    stiffness_hz: float
    """How fast the wheel would rock on the flapper's spring alone."""
    play_deg: float
    """Half the part of a space in which the flapper touches no peg."""

    @property
    def even_loss_deg_s2(self) -> float:
        """The loss of a fast wheel by bearing and pegs together."""
        return self.bearing_deg_s2 + self.snap_energy / self.space_deg

    @property
    def spring(self) -> float:
        """Ω² of the flapper's spring."""
        return (6.283185307179586 * self.stiffness_hz) ** 2

    def bend_energy(self, x_deg: float) -> float:
        """The energy stored in the flapper, `x_deg` from the middle of the space."""
        bend_deg = max(0.0, abs(x_deg) - self.play_deg)
        return 0.5 * self.spring * bend_deg * bend_deg

    def energy(self, angle_deg: float, speed_deg_s: float) -> float:
        """The energy of motion and flapper, with a peg between every two spaces."""
        x_deg = angle_deg - round(angle_deg / self.space_deg) * self.space_deg
        return 0.5 * speed_deg_s * speed_deg_s + self.bend_energy(x_deg)


def random_flapper(space_deg: float, rng: Random) -> Flapper:
    """A random wheel within the published range of losses."""
    loss_deg_s2 = rng.uniform(0.09, 0.15) * 360.0
    bearing_deg_s2 = rng.uniform(8.0, 14.0)
    snap_energy = (loss_deg_s2 - bearing_deg_s2) * space_deg
    play_deg = space_deg * rng.uniform(0.12, 0.22)
    # The spring must store more than a snap spends, or pegs would be passed without bending it.
    least_hz = sqrt(2.0 * snap_energy) / (space_deg / 2.0 - play_deg) / 6.283185307179586
    return Flapper(
        space_deg=space_deg,
        bearing_deg_s2=bearing_deg_s2,
        drag_per_s=rng.uniform(0.01, 0.03),
        snap_energy=snap_energy,
        stiffness_hz=least_hz * rng.uniform(1.15, 1.6),
        play_deg=play_deg,
    )


def varied_flapper(flapper: Flapper, rng: Random) -> Flapper:
    """The wheel for one spin, varied a little: grease, leather and the position of the flapper."""
    return replace(
        flapper,
        bearing_deg_s2=flapper.bearing_deg_s2 * rng.uniform(0.75, 1.25),
        snap_energy=flapper.snap_energy * rng.uniform(0.9, 1.05),
        play_deg=flapper.play_deg * rng.uniform(0.6, 1.25),
        stiffness_hz=flapper.stiffness_hz * rng.uniform(0.95, 1.1),
    )


def speed_for_travel(flapper: Flapper, travel_deg: float) -> float:
    """About the speed with which the wheel coasts `travel_deg` before it rests."""
    speed = sqrt(2.0 * flapper.even_loss_deg_s2 * travel_deg)
    loss_deg_s2 = flapper.even_loss_deg_s2 + flapper.drag_per_s * speed * 0.6
    return sqrt(2.0 * loss_deg_s2 * travel_deg)


def coast_to_slow(path: Path, flapper: Flapper, down_to_deg_s: float = SLOW_DEG_S) -> None:
    """The fast part: even loss and drag, in short steps, until the speed has fallen to `down_to_deg_s`."""
    while (speed := abs(path.speed_deg_s)) > down_to_deg_s:
        loss_deg_s2 = flapper.even_loss_deg_s2 + flapper.drag_per_s * speed
        step_s = min(COAST_STEP_S, (speed - down_to_deg_s) / loss_deg_s2)
        if step_s < 1e-9:
            return
        path.push(-copysign(loss_deg_s2, path.speed_deg_s), step_s)


def rest_against_flapper(path: Path, flapper: Flapper) -> None:
    """The slow part: peg by peg, then rocking, until friction holds the wheel."""
    spring, play, half = flapper.spring, flapper.play_deg, flapper.space_deg / 2.0
    friction, drag = flapper.bearing_deg_s2, flapper.drag_per_s
    middle_deg = flapper.space_deg * floor(path.angle_deg / flapper.space_deg + 0.5)
    speed = path.speed_deg_s
    if speed == 0.0:
        return
    while True:
        x = path.angle_deg - middle_deg
        way = 1.0 if speed > 0.0 else -1.0
        # Which part of the space it moves in, and where that part ends in its direction.
        ahead = x * way
        if ahead < -play - 1e-9:
            touched, end, centre = 1.0, -play, -play * way
        elif ahead < play - 1e-9:
            touched, end, centre = 0.0, play, 0.0
        else:
            touched, end, centre = 1.0, half, play * way
        pull = spring * touched
        step = ROCK_STEP_S
        # Implicit midpoint: force taken half way through the step, so that energy is kept except for friction.
        shape = 1.0 + 0.25 * step * step * pull + 0.5 * step * drag
        accel = (-pull * (x - centre + 0.5 * step * speed) - drag * speed - way * friction) / shape
        if speed * (speed + accel * step) <= 0.0:
            step = _stop_within(speed, x - centre, pull, drag, way * friction)
            path.push(-speed / step, step, 0.0)
            back = -spring * copysign(max(0.0, abs(path.angle_deg - middle_deg) - play), path.angle_deg - middle_deg)
            if abs(back) <= friction:
                return
            # It starts back from rest: a first tiny step gives the speed a sign.
            free = back - copysign(friction, back)
            path.push(free, ROCK_STEP_S / 4.0)
            speed = path.speed_deg_s
            continue
        left = end - ahead
        if (speed * step + 0.5 * accel * step * step) * way >= left:
            step = 2.0 * left / (abs(speed) + sqrt(max(0.0, speed * speed + 2.0 * accel * way * left)))
            path.push(accel, step)
            if end == half:
                middle_deg += way * flapper.space_deg
                path.angle_deg = middle_deg - way * half
                kept = path.speed_deg_s**2 - 2.0 * flapper.snap_energy
                path.speed_deg_s = way * sqrt(max(LEAST_SPEED_DEG_S**2, kept))
        else:
            path.push(accel, step)
        speed = path.speed_deg_s


def rest_on_peg(path: Path, flapper: Flapper, off_peg_deg: float) -> None:
    """The flapper catches on a peg's tip: the wheel stops `off_peg_deg` from the line between two spaces."""
    way = 1.0 if path.speed_deg_s > 0.0 else -1.0
    reach_deg = path.speed_deg_s**2 / (2.0 * flapper.even_loss_deg_s2)
    aim_deg = path.angle_deg + way * reach_deg
    peg_deg = (floor(aim_deg / flapper.space_deg) + 0.5) * flapper.space_deg + off_peg_deg
    by_deg = peg_deg - path.angle_deg
    path.push(-(path.speed_deg_s**2) / (2.0 * by_deg), 2.0 * by_deg / path.speed_deg_s, 0.0)


def _stop_within(speed: float, bent_deg: float, pull: float, drag: float, friction: float) -> float:
    """The step after which the midpoint rule leaves the wheel standing: the least positive root of a quadratic."""
    a = -0.25 * pull * speed
    b = -pull * bent_deg - 0.5 * drag * speed - friction
    if abs(a) < 1e-12:
        return -speed / b
    root = sqrt(max(0.0, b * b - 4.0 * a * speed))
    # a, b and speed: the root of a·t² + b·t + speed nearest to zero on the positive side.
    return 2.0 * speed / (-b + copysign(root, speed))
