/**
 * An amount of a token that is worth more than so many times the liquidity behind its price has no value: nobody could ever
 * pay it, and whoever makes a token and a small pool could give it any.
 */
export const MAX_VALUE_OF_LIQUIDITY = 100;
