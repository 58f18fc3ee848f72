// Estimates from the characters of a pattern how much work it is to analyse and to compile it.

/** Longer ones than this are tables and belong into an `enum`. V8 hashes no longer text either. */
export const MAX_PATTERN_LENGTH = 16_000

/** In steps. */
export interface PatternSize {
  /** To read it, and to find out what it may cost. */
  readonly toRead: number
  /** For the engine to make a program of it. */
  readonly toCompile: number
}

// Measured on V8: `\p{L}` is some 700 ranges of characters; `.`, `[^a]` and `\W` hold all those of two units.
const PROPERTY = /\\p\{/gi
const WIDE = /\.|\[\^|\\[WDS]/g
const READ_PATTERN = 500
const READ_CHARACTER = 20
const READ_PROPERTY = 15_000
const COMPILE_PATTERN = 1_000
const COMPILE_CHARACTER = 40
const COMPILE_PROPERTY = 15_000
const COMPILE_WIDE = 700

export function sizeOf(source: string): PatternSize {
  const properties = countMatches(source, PROPERTY)
  const wide = countMatches(source, WIDE)
  return {
    toRead: READ_PATTERN + source.length * READ_CHARACTER + properties * READ_PROPERTY,
    toCompile:
      COMPILE_PATTERN + source.length * COMPILE_CHARACTER + properties * COMPILE_PROPERTY + wide * COMPILE_WIDE,
  }
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
