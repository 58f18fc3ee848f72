// Limits as authors give them: one that is no number would hold nothing back, so it is refused before it could.

/** The limit itself. Throws `RangeError` for zero, less, and what is no number, as an environment variable that is not set. */
export function positive(name: string, value: number): number {
  if (value > 0) return value
  throw new RangeError(`${name} must be above 0`)
}

/** As `positive`, for a time that may be none at all. */
export function notNegative(name: string, value: number): number {
  if (value >= 0) return value
  throw new RangeError(`${name} must be 0 or more`)
}
