// The least height of text: a share of the shorter side of the screen, and on a phone so many pixels (--least of board.css).

const LEAST_SHARE = 0.022;
const LEAST_PX = 12;

const relative = (width, height) => LEAST_SHARE * Math.min(width, height);

export const leastText = (width = innerWidth, height = innerHeight) => Math.max(LEAST_PX, relative(width, height));
export const isPhone = (width = innerWidth, height = innerHeight) => relative(width, height) < LEAST_PX;
