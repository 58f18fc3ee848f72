// Checks limits that authors give: a limit that is no number would limit nothing.

/** The limit itself. Throws `RangeError` for zero, less, and `NaN`, as from a missing environment variable. */
export function positive(name: string, value: number): number {
  if (value > 0) return value
  throw new RangeError(`${name} must be above 0`)
}

/** As `positive`, for a time that may be 0. */
export function notNegative(name: string, value: number): number {
  if (value >= 0) return value
  throw new RangeError(`${name} must be 0 or more`)
}
