"""Serves local pages to browsers: what every page of this project needs, and nothing of the scoreboard.

application     an aiohttp application with the checks and headers of `guard`, and the files of `assets`
guard           which requests are answered: host, origin; the headers of every answer
assets          files out of the package, held in memory
connections     how many connections there may be, and how long without a request
sender          a bounded queue of messages for one browser
server          listens on an address until it is stopped

app = application(NamesAllowed.on("127.0.0.1"), [Assets.of_package("scoreboard", "page")])
app.router.add_get("/live", handle_live)
server = PageServer(app, "127.0.0.1", 8080)
print(await server.start())
"""

from .application import application
from .assets import Asset, Assets, AssetsError
from .guard import CONTENT_SECURITY_POLICY, NamesAllowed, OriginError, is_loopback, parse_embedding_origin, parse_origin
from .sender import ClientSender, Limits
from .server import LOOPBACK, AddressError, PageServer, serve_until_signal

__all__ = [
    "CONTENT_SECURITY_POLICY",
    "LOOPBACK",
    "AddressError",
    "Asset",
    "Assets",
    "AssetsError",
    "ClientSender",
    "Limits",
    "NamesAllowed",
    "OriginError",
    "PageServer",
    "application",
    "is_loopback",
    "parse_embedding_origin",
    "parse_origin",
    "serve_until_signal",
]
