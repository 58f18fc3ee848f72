// How much a test of endurance does: enough to fail in `npm test`, and all of it where `MCPWIRE_LONG_TESTS` is set.

/** `npm run soak:http` runs the full volume, with time enough for it. */
export function volume(short: number, full: number): number {
  return process.env['MCPWIRE_LONG_TESTS'] === undefined ? short : full
}
