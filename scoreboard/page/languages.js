// Written by controller/games/words.py.
export const LANGUAGES = ["en", "es"];
