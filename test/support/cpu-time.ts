// How long something blocks, measured so that a busy machine does not change the answer.

/** Milliseconds of CPU time that this process spends in the action. */
export function cpuMilliseconds(action: () => unknown): number {
  const before = process.cpuUsage()
  action()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
