// Written by controller/games/words.py.
export const LANGUAGES = ["de", "en", "es"];
