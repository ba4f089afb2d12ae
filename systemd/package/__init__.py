"""The Debian packages, and what comes with a release: what is in them, where it comes from, and who vouches for it.

python -m systemd.package                    the packages (make deb)
python -m systemd.package.release KEY        a signed release and its apt repository (make release)
"""
