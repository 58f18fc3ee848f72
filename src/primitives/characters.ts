// Kinds of characters, written as ranges: V8 looks up a Unicode property at the start of the program, and takes its time.

/** U+0000–U+001F and U+007F–U+009F. */
export const CONTROL_CHARACTER = /[^ -~\u{A0}-\u{10FFFF}]/u

/** Half of a pair: no character, and without a form in UTF-8. */
export const LONE_SURROGATE = /[\u{D800}-\u{DFFF}]/u

/** All that stand together, for `replace`. */
export const NOT_ASCII = /[\u{80}-\u{10FFFF}]+/gu
